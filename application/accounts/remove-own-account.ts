import { isLeft, left, mapLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type InsufficientAuthentication, requireProvedFresh, type UserCaller } from '../../domain/access.ts'
import {
  type AccountRemovalProblem,
  type AccountRemovalRequest,
  validateAccountRemoval,
} from '../../domain/account-removal.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import { hasPassword } from '../../domain/user.ts'
import { noteOwnPasswordRefusal, verifyOwnPassword } from '../passwords/own-password.ts'
import type { Clock } from '../ports/environment.ts'
import type { HashingRefused, PasswordHasher } from '../ports/password-hasher.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { Refusals } from '../recording/note-refusals.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnSessionConflict } from '../recording/session-facts.ts'
import type { Throttle, Throttled } from '../throttling/throttle.ts'

/**
 * Removes a signed-in user, who repeats the password (docs/administration.md §1). A user without a password must have proved something else in
 * the last minutes.
 *
 * Of several concurrent removals one succeeds. The others find their token invalid.
 */
export type RemoveOwnAccount = (
  context: RequestContext,
  caller: UserCaller,
  request: AccountRemovalRequest,
) => TE.TaskEither<Failure, void>

type Failure =
  | Invalid<AccountRemovalProblem>
  | InvalidToken
  | InsufficientAuthentication
  | Throttled
  | HashingRefused
  | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'listFactors'>
  hasher: PasswordHasher
  clock: Clock
  record: Recorder
  refusals: Refusals
  throttle: Throttle
}>

export const removeOwnAccount =
  (dependencies: Dependencies): RemoveOwnAccount =>
  (context, caller, request) =>
  async () => {
    const remove = (facts: SessionFacts) => removeOnce(dependencies, { context, caller, request, facts })
    const removed = await retryOnSessionConflict(dependencies.store, remove)(caller)()
    if (isLeft(removed)) noteOwnPasswordRefusal(dependencies.refusals, removed.left, { context, caller })
    return removed
  }

type Attempt = Readonly<{
  context: RequestContext
  caller: UserCaller
  request: AccountRemovalRequest
  facts: SessionFacts
}>

const checkPassword =
  (
    dependencies: Dependencies,
    { context, request, facts }: Attempt,
  ): TE.TaskEither<Exclude<Failure, InvalidToken>, string> =>
  async () => {
    const { password } = request
    const matches = isPresent(password)
      ? await verifyOwnPassword(dependencies, { password, context, facts })()
      : right(false)
    if (isLeft(matches)) return matches
    return mapLeft(invalid<AccountRemovalProblem>)(validateAccountRemoval(request, matches.right))
  }

const removeOnce =
  (
    dependencies: Dependencies,
    { context, caller, request, facts }: Attempt,
  ): TE.TaskEither<Failure | Conflict, void> =>
  async () => {
    // After a conflict the session may have ended. A removed user has no password to compare.
    if (!isAlive(facts, dependencies.clock() / 1000)) return left({ _tag: 'InvalidToken' })
    const { user } = facts
    const permitted = hasPassword(user)
      ? await checkPassword(dependencies, { context, caller, request, facts })()
      : requireProvedFresh({ ...caller, ...facts }, dependencies.clock() / 1000)
    if (isLeft(permitted)) return permitted
    // They are read after the user, so that a later change of them is a conflict.
    const factors = await dependencies.store.listFactors(user.id)()
    if (isLeft(factors)) return factors
    const fact = { _tag: 'UserRemoved', user, factors: factors.right } as const
    return pipe(
      dependencies.record([fact], { kind: 'user', id: user.id }, context),
      neverFailsWith('EmailTaken'),
      TE.chainFirstTaskK(() => dependencies.throttle.forget({ kind: 'second_factor', userId: user.id })),
    )()
  }
