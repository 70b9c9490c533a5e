import { readFileSync } from 'node:fs'

/**
 * The URL of a file or folder that belongs to an adapter. `npm run bundle` joins modules into files beside this one, so a module cannot
 * name a file by its own place.
 *
 * @param path from this folder
 */
export const fileUrl = (path: string): URL => new URL(path, import.meta.url)

/** The content of a file of the program or of one of its packages. */
export const textOf = (file: URL): string => readFileSync(file, 'utf8')
