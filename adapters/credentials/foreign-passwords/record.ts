import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { boundsProblem, foreignSchemeText } from '../../../domain/foreign-scheme.ts'
import type { HashedPassword } from '../../../domain/user.ts'
import { readArgon2 } from './argon2.ts'
import { readBcrypt } from './bcrypt.ts'
import type { ForeignRecord, ReadRecord } from './encoding.ts'
import { readPbkdf2 } from './pbkdf2.ts'
import { readScrypt } from './scrypt.ts'

/**
 * Reads a password record of another system: a PHC string of Argon2, scrypt or PBKDF2, or a modular crypt string of bcrypt. It is
 * refused if it is malformed, if its cost is out of bounds, or if its salt or output has an unsafe length. The reason is a sentence
 * without salt and output.
 */
export const readForeignRecord = (text: string): E.Either<string, ForeignRecord> => {
  if (text.length > MAX_LENGTH) return E.left(`A record must have at most ${MAX_LENGTH} characters.`)
  const [, name = ''] = /^\$([a-z0-9-]{2,20})\$/.exec(text) ?? []
  const read = READERS.get(name)
  if (read === undefined) return E.left(`A record must begin with ${BEGINNINGS}.`)
  return pipe(
    read(text),
    E.chainFirst(({ scheme }) => {
      const problem = boundsProblem(scheme)
      return problem === undefined ? E.right(undefined) : E.left(problem)
    }),
    E.chain(checkLengths),
    E.map(({ salt, output, ...record }) => record),
  )
}

/** Reads a record to import. */
export const readPasswordRecord = (record: string): E.Either<string, HashedPassword> =>
  pipe(
    readForeignRecord(record),
    E.map(({ scheme }) => ({ record, scheme: foreignSchemeText(scheme) })),
  )

type Read = (text: string) => E.Either<string, ReadRecord>

const READERS: ReadonlyMap<string, Read> = new Map([
  ...['2a', '2b', '2y'].map((name) => [name, readBcrypt] as const),
  ...['argon2id', 'argon2i', 'argon2d'].map((name) => [name, readArgon2] as const),
  ['scrypt', readScrypt],
  ...['pbkdf2', 'pbkdf2-sha1', 'pbkdf2-sha256', 'pbkdf2-sha512'].map((name) => [name, readPbkdf2] as const),
])

/** The last one is that of our own records, which `ownRecordReader` reads. */
const BEGINNINGS = `${[...READERS.keys()].map((name) => `$${name}$`).join(', ')} or 1$`

/** A short salt is shared by many users, and a short output is matched by many passwords. */
const checkLengths = (record: ReadRecord): E.Either<string, ReadRecord> => {
  const { salt, output } = record
  if (salt.length < 8 || salt.length > 64) return E.left(`The salt must have 8–64 bytes, got ${salt.length}.`)
  return output.length < 16 || output.length > 128
    ? E.left(`The output must have 16–128 bytes, got ${output.length}.`)
    : E.right(record)
}

const MAX_LENGTH = 512
