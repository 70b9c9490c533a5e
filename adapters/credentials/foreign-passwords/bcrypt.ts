import * as E from 'fp-ts/lib/Either.js'
import type { ReadRecord } from './encoding.ts'

/** Reads `$2b$12$` + 22 characters of salt + 31 of output. `$2a$` and `$2y$` name the same algorithm. */
export const readBcrypt = (text: string): E.Either<string, ReadRecord> => {
  const [, cost, salt, output] = FORM.exec(text) ?? []
  if (cost === undefined || salt === undefined || output === undefined)
    return E.left('A bcrypt record must have the form $2b$COST$ and 53 characters of its base64.')
  return E.right({
    scheme: { algorithm: 'bcrypt', cost: Number(cost) },
    salt: Buffer.alloc(16), // the form admits no other length
    output: Buffer.alloc(23),
    matches: (password) => matches(text, password),
    comparedBytes: 72,
  })
}

/**
 * The last characters of salt and output are among those that an encoder writes, because 16 and 23 bytes leave bits unused. A
 * verifier compares the whole text, so it could not match others.
 */
const FORM = /^\$2[aby]\$([0-9]{2})\$([./A-Za-z0-9]{21}[.Oeu])([./A-Za-z0-9]{30}[.CGKOSWaeimquy26])$/

/**
 * Like other implementations, bcrypt compares the first 72 bytes. A password with NUL never matches: some implementations stop at
 * NUL, and in others `abc` equals `abc\0abc`.
 */
const matches = async (text: string, password: string): Promise<boolean> => {
  const { verify } = await import('@node-rs/bcrypt')
  const isSame = await verify(password, text) // also with NUL, so that it takes as long
  return isSame && !password.includes('\0')
}
