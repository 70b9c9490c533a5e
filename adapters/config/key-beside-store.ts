import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Database } from './database-url.ts'
import { textIn, withoutLineEnd } from './files/text-file.ts'
import { namedSecrets } from './setting.ts'

/**
 * The key-encryption key that a first run puts beside a SQLite store (docs/settings.md). Commands and servers use it without
 * `KEY_ENCRYPTION_KEY`.
 */
const FILE_NAME = 'key-encryption-key'

/** How the id of such a key begins. A store that lacks its key names the id. */
export const FIRST_RUN_ID = 'first-run-'

/** The path of the key file, whether it exists or not. Undefined for a store without a folder. */
export const keyFileOf = (database: Database): string | undefined =>
  database.kind === 'sqlite' ? join(dirname(withoutLinks(database.path)), FILE_NAME) : undefined

/** SQLite puts its other files beside the target of a link too, also of one that it has yet to make. */
const withoutLinks = (path: string, linksLeft = 40): string =>
  linksLeft > 0 && aboutFile(path)?.isSymbolicLink()
    ? withoutLinks(resolve(dirname(path), readlinkSync(path)), linksLeft - 1)
    : path

/**
 * The value of `KEY_ENCRYPTION_KEY` in a key file, undefined if there is none, or a sentence that says what is wrong with the file.
 */
export const keyIn = (path: string): E.Either<string, string | undefined> => {
  const about = aboutFile(path)
  if (about === undefined) return E.right(undefined)
  if (about.isSymbolicLink())
    return E.left(
      `${path} must not be a symbolic link. Remove it, and set KEY_ENCRYPTION_KEY_FILE to its target`,
    )
  if (!about.isFile()) return E.left(`${path} must be a file. Remove it, or set KEY_ENCRYPTION_KEY`)
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const { mode, size } = fstatSync(file)
      if ((mode & 0o077) !== 0) return E.left(`Others may read or write ${path}. Run: chmod 600 ${path}`)
      const text = size > MAX_BYTES ? undefined : textIn(readFileSync(file))
      const key = text === undefined ? '?' : withoutLineEnd(text) || '?'
      // The rule of the setting, whose sentence hides the value.
      return E.map(() => key)(namedSecrets('signing keys')(path, { [path]: key }))
    } finally {
      closeSync(file)
    }
  } catch (error) {
    return E.left(
      `${path} cannot be read (${Object(error).code}). Change its owner or mode, or set KEY_ENCRYPTION_KEY`,
    )
  }
}

const MAX_BYTES = 65_536

/** What cannot be looked at is none: the store beside it has the same fault, and says more. */
const aboutFile = (path: string) => {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
