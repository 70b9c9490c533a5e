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
   * The store may drop a count after its `forgottenFrom`. It keeps at most `KEPT_AT_MOST` keys, so that attackers cannot fill the
   * disk, and drops those with the earliest `forgottenFrom` first.
   *
   * @param decide is pure, does not throw, and may be called several times
   */
  update<Answer>(
    key: string,
    decide: (known: Option<Failures>) => Readonly<{ kept: Option<Failures>; answer: Answer }>,
  ): TaskEither<StoreUnavailable, Answer>

  /**
   * Resolves when every `update` before it is done and nothing is open any more. Calling it twice, or twice at once, does nothing
   * more. It never rejects.
   */
  close: Task<void>
}

/** About ten megabytes. */
export const KEPT_AT_MOST = 100_000
