import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'

const { R_OK, W_OK, X_OK } = constants

/**
 * The missing rights of this process's user, each as a sentence for operators: to read and write the file, the files
 * beside it and its folder, where SQLite creates and deletes files. Root lacks a right only on a read-only file
 * system. A missing file is not reported.
 */
export const missingRights = (path: string): ReadonlyArray<string> =>
  [dirname(path), ...filesOf(path)]
    .filter((one, index) => !isAllowed(one, index === 0 ? R_OK | W_OK | X_OK : R_OK | W_OK))
    .map((one) => `this user may not read and write ${one}: change its owner or mode.`)

/**
 * The files with another owner than their folder, each as a sentence for operators. If root restores a back-up, a
 * service that runs as the owner of the folder cannot open it.
 */
export const foreignFiles = (path: string): ReadonlyArray<string> => {
  const folder = dirname(path)
  const owner = ownerOf(folder)
  return filesOf(path)
    .filter((file) => owner !== undefined && ![undefined, owner].includes(ownerOf(file)))
    .map((file) => `${file} has another owner than its folder: chown --reference=${folder} ${file}.`)
}

/** A database file, and the files that SQLite creates beside it. */
export const filesOf = (path: string): ReadonlyArray<string> => [path, `${path}-wal`, `${path}-shm`]

const isAllowed = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode)
    return true
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(String(Object(error).code))
  }
}

/** Undefined for a missing file, or in an unreadable folder. */
const ownerOf = (path: string): number | undefined => {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}
