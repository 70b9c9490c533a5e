import { readFileSync } from 'node:fs'

/**
 * The URL of a file or folder that belongs to an adapter. `npm run bundle` puts modules into a few files, so a module cannot name a file by
 * its own place.
 *
 * @param path from `adapters/`
 */
export const fileUrl = (path: string): URL => new URL(path, ADAPTERS)

const ADAPTERS = import.meta.url.replace(/(?<=\/adapters\/)(?!.*\/adapters\/).*/, '')

/** The content of a file of the program or of one of its packages. */
export const textOf = (file: URL): string => readFileSync(file, 'utf8')
