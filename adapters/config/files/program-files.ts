import { readFileSync } from 'node:fs'
import { extname } from 'node:path'

/**
 * The URL of a file or folder that belongs to an adapter. `npm run bundle` puts modules into a few files, so a module cannot name a file by
 * its own place.
 *
 * @param path from `adapters/`
 */
export const fileUrl = (path: string): URL => new URL(path, ADAPTERS)

/**
 * The URL of a module that a thread runs.
 *
 * @param path from `adapters/`, without its extension
 */
export const moduleUrl = (path: string): URL => fileUrl(path + extname(import.meta.url))

const ADAPTERS = import.meta.url.replace(/(?<=\/adapters\/)(?!.*\/adapters\/).*/, '')

/** The content of a file of the program or of one of its packages. */
export const textOf = (file: URL): string => readFileSync(file, 'utf8')
