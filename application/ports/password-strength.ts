import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { PasswordEstimate } from '../../domain/password-policy.ts'
import type { Overloaded, Unjudgeable } from './failures.ts'

/**
 * Whether a password is on a list of leaked ones, exactly as it is. It does not throw or reject, and may be called
 * concurrently.
 */
export type LeakedPasswords = (password: string) => TaskEither<Unjudgeable, boolean>

/**
 * Estimates how hard a text is to guess. A long one may be judged by its beginning, so that none costs more than a moment,
 * and nothing else has to wait for it. An estimator bounds how many wait, and refuses the others.
 *
 * Neither method throws or rejects. `estimate` may be called concurrently, with any well-formed text, the empty one too.
 */
export interface PasswordEstimator {
  estimate(text: string): TaskEither<Unjudgeable | Overloaded, PasswordEstimate>

  /** Lets go of what estimating takes. What is still being estimated then may fail. */
  close(): Promise<void>
}
