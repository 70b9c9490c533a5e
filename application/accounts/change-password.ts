import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import {
  mayRepeatChange,
  type PasswordChangeProblem,
  type PasswordChangeRequest,
  passwordChangeCode,
  validatePasswordChange,
} from '../../domain/password-change.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import type { FindWeakness } from '../passwords/find-weakness.ts'
import { findCountedWeakness, weakPasswordsOf } from '../passwords/find-weakness.ts'
import { shareOfSession } from '../passwords/hashing-shares.ts'
import { verifyOwnPassword } from '../passwords/own-password.ts'
import type { Clock } from '../ports/environment.ts'
import type { PasswordCheckUnavailable } from '../ports/failures.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnSessionConflict } from '../recording/session-facts.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import { passwordChangeKeys } from '../throttling/throttle-key.ts'

/**
 * Changes the password of a signed-in user (docs/contract.md §7). All other sessions of the user end.
 *
 * Of several concurrent changes with the same old password one succeeds. The others then find the old password wrong.
 *
 * Only a change that is made counts on the limit. It is asked before the new password is hashed.
 *
 * With `acceptsRepetition`, a change that the session made within the last minute succeeds again: a person who clicks twice never reads that
 * it failed, whichever instances got the clicks. That answers whether a guessed new password is the current one, so the guess costs and
 * counts like that of an old password.
 */
export type ChangePassword = (
  context: RequestContext,
  caller: UserCaller,
  request: PasswordChangeRequest & Repeatable,
) => TE.TaskEither<Failure, void>

type Repeatable = Readonly<{ acceptsRepetition?: true }>

type Failure =
  | Invalid<PasswordChangeProblem>
  | InvalidToken
  | Throttled
  | HashingRefused
  | PasswordCheckUnavailable
  | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession'>
  hasher: PasswordHasher
  clock: Clock
  record: Recorder
  refusals: Refusals
  throttle: Throttle
  findWeakness: FindWeakness
  mailsNotices: boolean
}>

export const changePassword =
  (dependencies: Dependencies): ChangePassword =>
  (context, caller, request) =>
  async () => {
    const change = (facts: SessionFacts) => changeOnce(dependencies, { context, request, facts })
    const changed = await retryOnSessionConflict(dependencies.store, change)(caller)()
    if (isLeft(changed)) noteRefusal(dependencies.refusals, changed.left, { context, caller })
    return changed
  }

/** A request with the session and user as last read. */
type Attempt = Readonly<{
  context: RequestContext
  request: PasswordChangeRequest & Repeatable
  facts: SessionFacts
}>

const changeOnce =
  (dependencies: Dependencies, attempt: Attempt): TE.TaskEither<Failure | Conflict, void> =>
  async () => {
    const { clock, throttle, mailsNotices } = dependencies
    const { request, facts } = attempt
    const matches = await verifyOldPassword(dependencies, attempt)()
    if (isLeft(matches)) return matches
    const isMade = matches.right ? right(false) : await isMadeAlready(dependencies, attempt)()
    if (isLeft(isMade)) return isMade
    if (isMade.right) return right(undefined)
    // Policy and rules compare the new password with nothing secret, so their answer shows nothing about the old one.
    const weakness = await weaknessOf(dependencies, attempt, matches.right)()
    if (isLeft(weakness)) return weakness
    const valid = validatePasswordChange(request, matches.right, weakness.right)
    if (isLeft(valid)) return left(invalid(valid.left))
    // After a conflict the session may have ended. A wrong old password takes precedence.
    if (!isAlive(facts, clock() / 1000)) return left({ _tag: 'InvalidToken' })
    return withThrottle(throttle, passwordChangeKeys({ mailsNotices, userId: facts.user.id }), {
      check: setNewPassword(dependencies, attempt, valid.right.newPassword),
      isSuccess: () => false,
    })()
  }

const setNewPassword = (
  { hasher, record }: Dependencies,
  { context, facts: { session, user } }: Attempt,
  newPassword: string,
): TE.TaskEither<HashingRefused | Conflict | StoreUnavailable, void> =>
  pipe(
    hasher.hash(newPassword, { signal: context.signal?.(), share: shareOfSession(session) }),
    TE.chainW((password) =>
      pipe(
        record(
          [{ _tag: 'PasswordChanged', user, session, password }],
          { kind: 'user', id: user.id },
          context,
        ),
        neverFailsWith('EmailTaken'),
      ),
    ),
  )

/** Whether the old password is the current one. */
const verifyOldPassword =
  (
    { hasher, throttle, findWeakness }: Dependencies,
    { context, request, facts }: Attempt,
  ): TE.TaskEither<Throttled | HashingRefused | StoreUnavailable, boolean> =>
  async () => {
    if (isPresent(request.oldPassword))
      return verifyOwnPassword({ hasher, throttle }, { password: request.oldPassword, context, facts })()
    // Without a hash the policy and the rules are the expensive part, so they count in the session like a wrong password.
    const counted = findWeakness.isExpensive(request.newPassword)
      ? await throttle.attempt({ kind: 'session', id: facts.session.id })()
      : right(undefined)
    return isLeft(counted) ? counted : right(false)
  }

/** Whether the session has just set the new password of the request. */
const isMadeAlready = (
  { hasher, throttle, clock }: Dependencies,
  { context, request, facts }: Attempt,
): TE.TaskEither<Throttled | HashingRefused | StoreUnavailable, boolean> => {
  const nowSeconds = clock() / 1000
  return request.acceptsRepetition === true &&
    isPresent(request.newPassword) &&
    mayRepeatChange(request, facts.session, nowSeconds) &&
    isAlive(facts, nowSeconds)
    ? verifyOwnPassword({ hasher, throttle }, { password: request.newPassword, context, facts })
    : TE.right(false)
}

/** With a wrong old password, or none, the session has counted the request. */
const weaknessOf = (
  dependencies: Dependencies,
  { request: { newPassword }, facts: { user } }: Attempt,
  matches: boolean,
) =>
  matches
    ? findCountedWeakness(dependencies, newPassword, { email: user.email, countedOn: weakPasswordsOf(user) })
    : dependencies.findWeakness(newPassword, user.email)

const noteRefusal = (
  refusals: Refusals,
  failure: Failure,
  { context, caller }: Readonly<{ context: RequestContext; caller: UserCaller }>,
): void => {
  if (failure._tag !== 'Invalid' && failure._tag !== 'Throttled') return
  const { id } = caller.user
  const problems = failure._tag === 'Invalid' ? failure.problems : [] // a throttled request is not validated
  const codes = problems.map(passwordChangeCode).sort((a, b) => a - b)
  refusals.note({ _tag: 'PasswordChangeRefused', userId: id, codes }, { kind: 'user', id }, context)
}
