import * as E from 'fp-ts/lib/Either.js'
import { isSome, some } from 'fp-ts/lib/Option.js'
import type { HashingRefused, PasswordHasher } from '../../application/ports/password-hasher.ts'

/**
 * A password hasher that does everything except hashing: a record is a running number and the password.
 *
 * @param turn is awaited before each piece of work, and may refuse it
 */
export const plainHasher = (
  turn: (work: 'hash' | 'verify') => Promise<HashingRefused | undefined> = async () => undefined,
): PasswordHasher => {
  let made = 0
  return {
    hash: (password) => async () => {
      const refused = await turn('hash')
      if (refused) return E.left(refused)
      made += 1
      return E.right({ record: `${made} ${password}`, scheme: 'plain' })
    },
    verify: (password, record) => async () => {
      const refused = await turn('verify')
      return refused
        ? E.left(refused)
        : E.right(isSome(record) && record.value.slice(record.value.indexOf(' ') + 1) === password)
    },
    verifyMs: () => some(1),
    assess: () => 'current',
  }
}
