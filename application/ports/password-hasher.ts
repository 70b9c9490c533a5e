import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/**
 * Turns passwords into records that can be stored, and checks passwords against them.
 *
 * Passwords are taken exactly as they are, never trimmed or cut: `abc`, `abc\0` and `ABC` are three passwords.
 * They are well-formed Unicode (domain/field.ts). Hashing is expensive on purpose, so an implementation bounds how
 * much of it goes on at once and refuses what would wait too long.
 *
 * Neither method throws or rejects. Both may be called concurrently.
 *
 * @param wanted asked right before the expensive work begins; when it answers false nobody waits for the
 *   result any more and the work is not done
 */
export interface PasswordHasher {
  /** A record of the password, different at each call. */
  hash(password: string, wanted: () => boolean): TaskEither<HashingRefused, string>

  /**
   * Whether the record was made from this password. Without a record (an account that does not exist) the answer
   * is false after the same work, and so it is for a record that cannot be read.
   */
  verify(password: string, record: Option<string>, wanted: () => boolean): TaskEither<HashingRefused, boolean>
}

export type HashingRefused = Overloaded | Abandoned

/** The service has more to do than it can do in time. Nothing was done; the same again later may pass. */
export type Overloaded = Readonly<{ _tag: 'Overloaded'; retryAfterSeconds: number }>

/** Nobody waits for the answer any more. Nothing was done. */
export type Abandoned = Readonly<{ _tag: 'Abandoned' }>
