import { mapLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type Option, some } from 'fp-ts/lib/Option.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../domain/access.ts'
import { isPresent } from '../domain/field.ts'
import {
  PASSWORD_CHANGE_CODES,
  type PasswordChangeProblem,
  type PasswordChangeRequest,
  validatePasswordChange,
} from '../domain/password-change.ts'
import type { PasswordWeakness } from '../domain/password-policy.ts'
import { isAlive, type Session, type SessionFacts } from '../domain/session.ts'
import type { FindWeakness } from './find-weakness.ts'
import { type Invalid, invalid } from './invalid.ts'
import type { Clock } from './ports/environment.ts'
import type { Unjudgeable } from './ports/failures.ts'
import type { HashingRefused, PasswordHasher } from './ports/password-hasher.ts'
import type { Refusals } from './ports/refusals.ts'
import type { Conflict, Store, StoreUnavailable } from './ports/store.ts'
import type { InvalidToken } from './ports/token-format.ts'
import { cannotMeet, type Recorder, type RequestContext } from './recording/recorder.ts'
import { retryOnSessionConflict } from './recording/session-facts.ts'
import { shareOfSession } from './throttling/hashing-shares.ts'
import { asAttempt, type Throttle, type Throttled } from './throttling/throttle.ts'

/**
 * Seed §4.2: a signed-in user sets a new password. All other sessions of the user are dead from then on.
 *
 * Of several changes that race on one old password exactly one wins, and the others find the old password wrong.
 */
export type ChangePassword = (
  call: RequestContext,
  caller: UserCaller,
  request: PasswordChangeRequest,
) => TE.TaskEither<Failure, void>

type Failure =
  | Invalid<PasswordChangeProblem>
  | InvalidToken
  | Throttled
  | HashingRefused
  | Unjudgeable
  | StoreUnavailable

export const changePassword =
  ({
    store,
    hasher,
    clock,
    record,
    refusals,
    throttle,
    findWeakness,
  }: Readonly<{
    store: Pick<Store, 'findSession'>
    hasher: PasswordHasher
    clock: Clock
    record: Recorder
    refusals: Refusals
    throttle: Throttle
    findWeakness: FindWeakness
  }>): ChangePassword =>
  (call, caller, request) => {
    /**
     * A wrong old password counts on the account like a failed sign-in, but only what failed in this very session stands in the
     * way here: strangers who try to sign in cannot keep an owner from changing the password.
     */
    const verified = (old: string, { session, user }: SessionFacts) =>
      pipe(
        asAttempt(throttle, { kind: 'session', id: session.id })(
          hasher.verify(old, some(user.passwordRecord), {
            wanted: call.wanted,
            share: shareOfSession(session),
          }),
          (matches) => matches,
        ),
        TE.chainFirstTaskK((matches): Task<void> => {
          const account = { kind: 'account', email: user.email } as const
          return matches ? throttle.forget(account) : throttle.addFailure(account)
        }),
      )

    /** What costs no hash costs an estimate under some policies, and counts in its session like a wrong one then. */
    const withoutOldPassword = ({ id }: Session): TE.TaskEither<Throttled | StoreUnavailable, boolean> =>
      pipe(
        findWeakness.takesWork(request.newPassword)
          ? throttle.attempt({ kind: 'session', id })
          : TE.right(undefined),
        TE.map(() => false),
      )

    const change = (facts: SessionFacts): TE.TaskEither<Failure | Conflict, void> => {
      const { session, user } = facts
      return pipe(
        isPresent(request.oldPassword) ? verified(request.oldPassword, facts) : withoutOldPassword(session),
        TE.bindTo('matches'),
        // It is compared with nothing secret: what is said of a new password tells nothing of the old one.
        TE.bindW('weakness', () => findWeakness(request.newPassword, user.email)),
        TE.chainEitherKW(({ matches, weakness }) => judge(request, matches, weakness)),
        // On fresh facts the session may have been ended meanwhile; a wrong old password is said first.
        TE.filterOrElseW(
          () => isAlive(facts, clock() / 1000),
          (): InvalidToken => ({ _tag: 'InvalidToken' }),
        ),
        TE.chainW(({ newPassword }) =>
          hasher.hash(newPassword, { wanted: call.wanted, share: shareOfSession(session) }),
        ),
        TE.chainW((password) =>
          pipe(
            record(
              [{ _tag: 'PasswordChanged', user, session, password }],
              { kind: 'user', id: user.id },
              call,
            ),
            cannotMeet('EmailTaken'),
          ),
        ),
      )
    }

    const note = (failure: Failure): void => {
      if (failure._tag !== 'Invalid' && failure._tag !== 'Throttled') return
      const { id } = caller.user
      const problems = failure._tag === 'Invalid' ? failure.problems : [] // nothing was judged
      const codes = problems.map((problem) => PASSWORD_CHANGE_CODES[problem]).sort((a, b) => a - b)
      refusals.note({ _tag: 'PasswordChangeRefused', userId: id, codes }, { kind: 'user', id }, call)
    }

    return pipe(
      retryOnSessionConflict(store, change)(caller),
      TE.mapLeft((failure) => {
        note(failure)
        return failure
      }),
    )
  }

const judge = (
  request: PasswordChangeRequest,
  oldPasswordMatches: boolean,
  weakness: Option<PasswordWeakness>,
) => pipe(validatePasswordChange(request, oldPasswordMatches, weakness), mapLeft(invalid))
