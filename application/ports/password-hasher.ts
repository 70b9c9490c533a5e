import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { HashedPassword } from '../../domain/user.ts'
import type { Abandoned, Overloaded } from './failures.ts'

/**
 * Hashes passwords into records to store, and verifies passwords against records.
 *
 * It takes passwords exactly as sent, without trimming or cutting: `abc`, `abc\0` and `ABC` are three passwords. They are
 * well-formed Unicode (domain/field.ts).
 *
 * Hashing is expensive on purpose. An implementation limits concurrent hashes, and refuses hashes that would wait too long.
 * Waiting shares take turns, and so do the parts of a share. So a share with one hash never waits behind all hashes of another
 * share, and the long queue of one share does not refuse another one. When the queue is full, the hasher refuses a hash of the
 * share that has the most in it, also one that waits already. It may also refuse a hash that has waited too long. Both fail as
 * `Overloaded`.
 *
 * No method throws or rejects. All may be called concurrently.
 */
export interface PasswordHasher {
  /**
   * Returns a record of the password and its scheme.
   *
   * - The record is different at each call, and does not show the password. It is a text that a store can hold
   *   (application/ports/store.ts) of at most 4,096 characters.
   * - The scheme says how the record was made. It is public, not empty, and has at most 200 characters. All records of one scheme
   *   take the same time to verify.
   */
  hash(password: string, request: HashingRequest): TaskEither<HashingRefused, HashedPassword>

  /**
   * Whether the record was made from this password. Without a record (an unknown account) and for an unreadable record it is false
   * after the same work.
   */
  verify(
    password: string,
    record: Option<string>,
    request: HashingRequest,
  ): TaskEither<HashingRefused, boolean>

  /**
   * Returns the time in milliseconds to verify a record of this scheme, at the upper end of recent measurements. Without a scheme
   * it is the time to verify without a record. It is none if this hasher cannot read records of the scheme.
   */
  verifyMs(scheme: Option<string>): Option<number>

  /**
   * Returns the state of a record. With a password that fits it, the record is `outdated` only if it fits no other password: after a
   * sign-in, a new record of the password replaces an outdated one. bcrypt, for example, ignores what follows the 72nd byte, so a
   * mistyped ending could become the password.
   */
  assess(record: string, password?: string): RecordState
}

export type HashingRequest = Readonly<{
  /**
   * Aborted when the client disconnects, or the deadline of its request passes. The hasher reads it directly before the hash starts. If it is aborted, the hasher skips
   * the hash and fails with `Abandoned`. A hash that has started runs to its end.
   */
  signal?: AbortSignalLike | undefined
  /**
   * The hasher calls it once, directly before the hash starts, and never for a skipped hash. Metrics and the even timing of
   * sign-ins count the time before the call as waiting, so a hasher must not call it earlier or omit it.
   */
  onStart?: (() => void) | undefined
  share: HashingShare
}>

/** The part of the platform's `AbortSignal` that use cases and hashers read. */
export type AbortSignalLike = Readonly<{ aborted: boolean }>

/**
 * The share of the machine that a hash uses, and optionally the part of that share. It never names an account: the waiting time of an
 * account's hash would show activity on that account.
 */
export type HashingShare = readonly [name: string] | readonly [name: string, part: string]

/**
 * - `current`: a new record would not be better, or could be of another password than the user's
 * - `outdated`: a new record would protect the password better, or use another pepper
 * - `unreadable`: no password matches; the record is damaged, or needs a pepper or scheme that this hasher does not have
 */
export type RecordState = 'current' | 'outdated' | 'unreadable'

export type HashingRefused = Overloaded | Abandoned
