import type { Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Failures } from '../../domain/throttle.ts'
import type { StoreUnavailable } from './store.ts'

/**
 * Keeps the failure counts of throttling. It shares them between processes and keeps them over restarts. The event log does not
 * contain them, and a power failure may lose the latest ones.
 *
 * `update` may be called at any time, concurrently, also from several processes. It never throws or rejects. After `close` it
 * answers `StoreUnavailable`.
 */
export interface FailureCounts {
  /**
   * Replaces what is kept under a key with the result of `decide`, atomically. Of concurrent calls, each one decides on the result
   * of the one before it.
   *
   * The store may drop a count after its `forgottenFrom`. Of each kind it keeps at most as many keys as `KEPT_AT_MOST` says, so that
   * attackers cannot fill the disk. A full kind drops only its own keys: first those with one failure, and among equals those with
   * the earliest `forgottenFrom`. So a flood of new keys erases no count of another kind, and repeated failures last longest. It drops
   * a few per cent at once, so that a new key gets its second failure when all others have two.
   *
   * @param decide is pure, does not throw, and may be called several times
   */
  update<Answer>(
    counted: CountKey,
    decide: (known: Option<Failures>) => Readonly<{ kept: Option<Failures>; answer: Answer }>,
  ): TaskEither<StoreUnavailable, Answer>

  /**
   * Resolves when every `update` before it is done and nothing is open any more. Calling it twice, or twice at once, does nothing
   * more. It never rejects.
   */
  close: Task<void>
}

/** A key belongs to one kind: the service never uses it under another one. */
export type CountKey = Readonly<{ kind: CountKind; key: string }>

/** What a count is about (`ThrottleKey`). */
export type CountKind =
  | 'account_in_network'
  | 'account'
  | 'address'
  | 'end_user_address'
  | 'registrations'
  | 'mails_to_email'
  | 'mails'
  | 'mails_of_user'
  | 'recoveries'
  | 'recoveries_in_network'
  | 'factor_resets'
  | 'vouched'
  | 'vouched_of_user'
  | 'session'
  | 'one_time_token'
  | 'new_password'
  | 'second_factor'
  | 'sign_ins_in_network'
  | 'sign_ins'
  | 'factor_changes_in_session'
  | 'factor_changes'
  | 'session_ends_in_session'
  | 'session_ends'
  | 'identity_answers'
  | 'attribute_changes'
  | 'password_changes'
  | 'password_leaked'

/**
 * How many keys of each kind are kept. Strangers and users can fill the nine kinds with a limit: 100,000 keys take about 20 megabytes in SQLite or
 * in memory, and 30 in PostgreSQL.
 *
 * Each key of the other kinds belongs to a row of the store, which only known applications and users can create. So these kinds need
 * no limit, and never drop a count that has not ended.
 */
export const KEPT_AT_MOST: Readonly<Record<CountKind, number>> = {
  account_in_network: 100_000,
  account: 100_000,
  address: 100_000,
  end_user_address: 100_000,
  registrations: 100_000,
  recoveries_in_network: 100_000,
  mails_to_email: 100_000,
  mails: Number.POSITIVE_INFINITY,
  mails_of_user: Number.POSITIVE_INFINITY,
  recoveries: Number.POSITIVE_INFINITY,
  factor_resets: Number.POSITIVE_INFINITY,
  vouched: Number.POSITIVE_INFINITY,
  vouched_of_user: Number.POSITIVE_INFINITY,
  session: Number.POSITIVE_INFINITY,
  one_time_token: Number.POSITIVE_INFINITY,
  new_password: Number.POSITIVE_INFINITY,
  second_factor: Number.POSITIVE_INFINITY,
  sign_ins_in_network: 100_000,
  sign_ins: Number.POSITIVE_INFINITY,
  factor_changes_in_session: Number.POSITIVE_INFINITY,
  factor_changes: Number.POSITIVE_INFINITY,
  session_ends_in_session: Number.POSITIVE_INFINITY,
  session_ends: Number.POSITIVE_INFINITY,
  identity_answers: Number.POSITIVE_INFINITY,
  attribute_changes: Number.POSITIVE_INFINITY,
  password_changes: Number.POSITIVE_INFINITY,
  password_leaked: Number.POSITIVE_INFINITY,
}
