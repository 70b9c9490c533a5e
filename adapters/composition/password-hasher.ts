import { chainFirst, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { ReadPasswordRecord } from '../../application/accounts/import-users.ts'
import type { PasswordHasher } from '../../application/ports/password-hasher.ts'
import type { Settings } from '../config/settings.ts'
import { withForeignPasswords } from '../credentials/foreign-passwords/password-hasher.ts'
import { readForeignRecord } from '../credentials/foreign-passwords/record.ts'
import { foreignSchemeText, importProblem } from '../credentials/hashing/foreign-scheme.ts'
import { timeBoundedQueue } from '../credentials/hashing/queue.ts'
import { estimateMs } from '../credentials/scrypt/durations.ts'
import { queuedScryptHasher } from '../credentials/scrypt/password-hasher.ts'

/** The hasher of the service: scrypt for new records, and the algorithms of imported ones. */
export const standardPasswordHasher = ({
  scrypt,
  hashing,
  peppers,
}: Pick<Settings, 'scrypt' | 'hashing' | 'peppers'>): PasswordHasher => {
  const queue = timeBoundedQueue(hashing, estimateMs(scrypt))
  return withForeignPasswords(queuedScryptHasher(queue, scrypt, peppers), queue)
}

/** Reads the records to import. `standardPasswordHasher` verifies them, and slower ones of earlier imports. */
export const readPasswordRecord: ReadPasswordRecord = (record) =>
  pipe(
    readForeignRecord(record),
    chainFirst(({ scheme }) => {
      const problem = importProblem(scheme)
      return problem === undefined ? right(undefined) : left(problem)
    }),
    map(({ scheme }) => ({ record, scheme: foreignSchemeText(scheme) })),
  )
