import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PasswordEstimate } from '../../domain/password-policy.ts'
import type { Overloaded, PasswordCheckUnavailable } from './failures.ts'

/** Whether a list of leaked passwords contains exactly this one. It does not throw or reject, and may be called concurrently. */
export type LeakedPasswords = (password: string) => TaskEither<PasswordCheckUnavailable, boolean>

/**
 * Estimates how hard a text is to guess. It may read only the beginning of a long text, so that each estimate is fast. It must not
 * block other work. It limits how many estimates wait, and refuses the others.
 *
 * No method throws or rejects. `estimate` may be called concurrently, with any well-formed text, also the empty one.
 */
export interface PasswordEstimator {
  estimate(text: string): TaskEither<PasswordCheckUnavailable | Overloaded, PasswordEstimate>

  /** Releases the resources. Estimates that are still running may fail. */
  close(): Promise<void>
}
