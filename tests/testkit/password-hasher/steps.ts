import { some } from 'fp-ts/lib/Option.js'
import type {
  HashingRefused,
  HashingRequest,
  PasswordHasher,
} from '../../../application/ports/password-hasher.ts'
import { ok } from '../outcome.ts'

/** A request that is never aborted. */
export const REQUEST: HashingRequest = { share: ['one'] }

export const hash = async (hasher: PasswordHasher, password: string): Promise<string> =>
  (await ok(hasher.hash(password, REQUEST))).record

export const verify = (hasher: PasswordHasher, password: string, record: string): Promise<boolean> =>
  ok(hasher.verify(password, some(record), REQUEST))

/** Whether a refusal says all that it has to say. */
export const isOverloaded = (refused: HashingRefused): boolean =>
  refused._tag === 'Overloaded' &&
  Number.isSafeInteger(refused.retryAfterSeconds) &&
  refused.retryAfterSeconds >= 1
