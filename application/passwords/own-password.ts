import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import type { Invalid } from '../../domain/field.ts'
import type { SessionFacts } from '../../domain/session.ts'
import { passwordRecordOf } from '../../domain/user.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { StoreUnavailable } from '../ports/store.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import type { RequestContext } from '../recording/recorder.ts'
import {
  countFailure,
  forgetAll,
  type Throttle,
  type Throttled,
  withThrottle,
} from '../throttling/throttle.ts'
import { accountKeys } from '../throttling/throttle-key.ts'
import { shareOfSession } from './hashing-shares.ts'

/**
 * Whether the password is that of the signed-in user (docs/contract.md §1.9).
 *
 * A wrong one counts on the account, like a failed sign-in. Only the session's own count can refuse the check, so that sign-in
 * attempts of an attacker cannot stop the owner.
 */
export const verifyOwnPassword =
  (
    { hasher, throttle }: Readonly<{ hasher: Pick<PasswordHasher, 'verify'>; throttle: Throttle }>,
    {
      password,
      context,
      facts: { session, user },
    }: Readonly<{ password: string; context: RequestContext; facts: SessionFacts }>,
  ): TaskEither<Throttled | HashingRefused | StoreUnavailable, boolean> =>
  async () => {
    const hashing = { signal: context.signal?.(), share: shareOfSession(session) }
    const matches = await withThrottle(
      throttle,
      { kind: 'session', id: session.id },
      {
        check: hasher.verify(password, passwordRecordOf(user), hashing),
        isSuccess: (outcome) => outcome,
      },
    )()
    if (isLeft(matches)) return matches
    const ofAccount = accountKeys(user.email)
    await (matches.right ? forgetAll : countFailure)(throttle, ofAccount)()
    return matches
  }

/** Notes the refusal of a request that repeats the password. A missing password is no guess, so it is not noted. */
export const noteOwnPasswordRefusal = (
  refusals: Refusals,
  failure: Invalid<string> | Readonly<{ _tag: string }>,
  { context, caller }: Readonly<{ context: RequestContext; caller: UserCaller }>,
): void => {
  const isWrong = 'problems' in failure && failure.problems.includes('PasswordWrong')
  if (!isWrong && failure._tag !== 'Throttled') return
  const { id } = caller.user
  const reason = isWrong ? 'wrong_password' : 'too_many_failures'
  refusals.note({ _tag: 'SignInRefused', userId: id, reason }, { kind: 'user', id }, context)
}
