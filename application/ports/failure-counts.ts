import type { Option } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Failures } from '../../domain/throttle.ts'
import type { StoreUnavailable } from './store.ts'

/**
 * Remembers failures where the service keeps everything else, so that a restart and other processes see them. It is no
 * part of the domain's state: nothing of it is in the event log, and the last moments of it may be lost with the machine's power.
 *
 * Its method may be called at any time, concurrently, also from several processes. It never throws and never rejects. After
 * `close` it answers `StoreUnavailable`.
 */
export interface FailureCounts {
  /**
   * Lets `decide` make of what is kept under a key what is kept from now on, in one step: of several at once each decides on
   * what the one before it has left.
   *
   * What is past its `forgottenFrom` need not be kept. Of more than `KEPT_AT_MOST` keys those go first that would be forgotten
   * first, so that nobody can fill a disk with them.
   *
   * @param decide is pure, for it may be asked more than once, and does not throw
   */
  update<Answer>(
    key: string,
    decide: (known: Option<Failures>) => Readonly<{ kept: Option<Failures>; answer: Answer }>,
  ): TaskEither<StoreUnavailable, Answer>

  close: Task<void>
}

/** Some ten megabytes. */
export const KEPT_AT_MOST = 100_000
