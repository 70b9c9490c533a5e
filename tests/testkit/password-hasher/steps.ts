import { some } from 'fp-ts/lib/Option.js'
import type {
  HashingRefused,
  HashingRequest,
  PasswordHasher,
} from '../../../application/ports/password-hasher.ts'
import { ok } from '../outcome.ts'

/** Hashing of the share `one`, for somebody who waits as long as this says. */
export const wantedWhile = (wanted: () => boolean): HashingRequest => ({ wanted, share: ['one'] })

export const WANTED = wantedWhile(() => true)

export const hash = async (hasher: PasswordHasher, password: string): Promise<string> =>
  (await ok(hasher.hash(password, WANTED))).record

export const verify = (hasher: PasswordHasher, password: string, record: string): Promise<boolean> =>
  ok(hasher.verify(password, some(record), WANTED))

/** Whether a refusal says all that it has to say. */
export const isOverloaded = (refused: HashingRefused): boolean =>
  refused._tag === 'Overloaded' &&
  Number.isSafeInteger(refused.retryAfterSeconds) &&
  refused.retryAfterSeconds >= 1
