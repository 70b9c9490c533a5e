import { exists, some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { LEAK_PAUSE_SECONDS } from '../../domain/mail.ts'
import type { Failures } from '../../domain/throttle.ts'
import type { Clock } from '../ports/environment.ts'
import type { FailureCounts } from '../ports/failure-counts.ts'
import type { StoreUnavailable } from '../ports/store.ts'

/**
 * Whether a user may get a mail `password_leaked` now, and notes that it does. At most one a day is sent (docs/mail.md).
 *
 * A sender asks before the first attempt of a mail (`claims` is 1), and deletes the mail if not. So sign-ins that are completed use up
 * nothing, and no mail is lost to a sender that dies after it has asked.
 */
export const mayNoticeLeak =
  ({ counts, clock }: Readonly<{ counts: FailureCounts; clock: Clock }>) =>
  (userId: string): TaskEither<StoreUnavailable, boolean> =>
    counts.update({ kind: 'password_leaked', key: userId }, (known) => {
      const now = clock()
      if (exists(({ forgottenFrom }: Failures) => now < forgottenFrom)(known))
        return { kept: known, answer: false }
      const forgottenFrom = now + LEAK_PAUSE_SECONDS * 1_000
      return { kept: some({ count: 1, refusedUntil: 0, forgottenFrom }), answer: true }
    })
