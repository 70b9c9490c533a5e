import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** An error whose message is a sentence for operators. */
export class UnusableFile extends Error {}

/**
 * Creates the file and its folder, private from the start. Anything but a regular file, such as a device, stays
 * untouched.
 *
 * @param setting the one that names the file
 * @throws UnusableFile
 */
export const createPrivately = (path: string, setting: 'DATABASE_URL' | 'READ_MODEL'): void => {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there !== undefined && !there.isFile())
    throw new UnusableFile(
      `it is ${there.isDirectory() ? 'a folder' : 'not a regular file'}. Name a file in ${setting}.`,
    )
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}

/** No other user may read the file, or those that SQLite creates beside it. */
export const makePrivate = (path: string): void => {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  }
}
