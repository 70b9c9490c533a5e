import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'

const { R_OK, W_OK, X_OK } = constants

/**
 * What the user of this process lacks to work with a database file, each as a sentence for operators: the rights to read and write it,
 * what lies beside it and its folder, where SQLite lays files and takes them away. Root may do all of that anywhere, but on a file
 * system that is read-only. What is not there is no matter of rights.
 */
export const missingRights = (path: string): ReadonlyArray<string> =>
  [dirname(path), ...filesOf(path)]
    .filter((one, index) => !isAllowed(one, index === 0 ? R_OK | W_OK | X_OK : R_OK | W_OK))
    .map((one) => `this user may not read and write ${one}: change its owner or mode.`)

/**
 * The files of a database that are somebody else's than its folder, each as a sentence for operators. Root, who puts a back-up into the
 * place of the store, sees by this that a service which runs as the owner of the folder cannot open it.
 */
export const foreignFiles = (path: string): ReadonlyArray<string> => {
  const folder = dirname(path)
  const owner = ownerOf(folder)
  return filesOf(path)
    .filter((file) => owner !== undefined && ![undefined, owner].includes(ownerOf(file)))
    .map((file) => `${file} is of another user than its folder: chown --reference=${folder} ${file}.`)
}

/** A database file, and what SQLite may lay beside it. */
export const filesOf = (path: string): ReadonlyArray<string> => [path, `${path}-wal`, `${path}-shm`]

const isAllowed = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode)
    return true
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(String(Object(error).code))
  }
}

/** None where there is nothing, or in a folder that may not be looked into. */
const ownerOf = (path: string): number | undefined => {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}
