import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { HashedPassword } from '../../domain/user.ts'
import type { Abandoned, Overloaded } from './failures.ts'

/**
 * Turns passwords into records that can be stored, and checks passwords against them.
 *
 * Passwords are taken exactly as they are, never trimmed or cut: `abc`, `abc\0` and `ABC` are three passwords.
 * They are well-formed Unicode (domain/field.ts). Hashing is expensive on purpose, so an implementation bounds how
 * much of it goes on at once and refuses what would wait too long.
 *
 * While hashes of several shares wait, the shares take turns, and so do the parts of a share: a share with one hash never waits
 * behind all of another's. A long queue of one share is no reason to refuse another one. So a hash that waits may still be
 * refused, as `Overloaded`: to make room for a share that has fewer, or when its turn comes so late that hardly anybody waits.
 *
 * No method throws or rejects. All may be called concurrently.
 */
export interface PasswordHasher {
  /**
   * A record of the password, different at each call. It is a text that a store can hold (application/ports/store.ts), at most
   * 4,096 characters of it however long the password is, and does not show the password. Its scheme says how it was made, in at
   * most 200 characters that may be shown to anybody, and is not empty: records of one scheme take as long to verify.
   */
  hash(password: string, request: HashingRequest): TaskEither<HashingRefused, HashedPassword>

  /**
   * Whether the record was made from this password. Without a record (an account that does not exist) the answer
   * is false after the same work, and so it is for a record that cannot be read.
   */
  verify(
    password: string,
    record: Option<string>,
    request: HashingRequest,
  ): TaskEither<HashingRefused, boolean>

  /**
   * How long verifying a record of this scheme takes here, in milliseconds, at the upper end of what was measured lately; without a
   * scheme, verifying without a record. None: this hasher cannot read records of the scheme, so that no password fits them.
   */
  verifyMs(scheme: Option<string>): Option<number>

  /** What a record is worth, without its password. */
  assess(record: string): RecordState
}

export type HashingRequest = Readonly<{
  /**
   * Asked right before the expensive work begins; when it answers false nobody waits for the result any more and the work is
   * not done. Until it is asked the hash counts as waiting in what is measured, and from then on as worked on: whoever asks
   * earlier, or not at all, has the waiting measured as work, or the work as waiting.
   */
  wanted: () => boolean
  share: HashingShare
}>

/**
 * Names whose hashing it is: whose share of the machine, and optionally which part of that share. It never names an account:
 * how long an account's hash waits would tell what others do with that account.
 */
export type HashingShare = readonly [name: string] | readonly [name: string, part: string]

/**
 * - `current`: `hash` would not do better now
 * - `outdated`: `hash` would protect the password better, or under another pepper
 * - `unreadable`: no password fits it: it is damaged, or made with something this hasher was not given
 */
export type RecordState = 'current' | 'outdated' | 'unreadable'

export type HashingRefused = Overloaded | Abandoned
