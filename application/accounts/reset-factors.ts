import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import type { Actor } from '../../domain/event.ts'
import { isIdentity } from '../../domain/factor.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import type { User } from '../../domain/user.ts'
import { type UserIdProblem, type UserIdRequest, validateUserId } from '../../domain/user-management.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { changeUser, namedUser, type UserUnknown } from '../recording/change-user.ts'
import { operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'
import type { ManageNamedUser } from './manage-users.ts'

/**
 * Removes all second factors of a user who has lost them, for an application (docs/second-factor.md). All sessions end, and so does a
 * pause after wrong codes. Identities stay: they replace the password. A user without factors is no failure.
 */
export type ResetFactors = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: UserIdRequest,
) => TE.TaskEither<Invalid<UserIdProblem> | Throttled | Overloaded | StoreUnavailable, void>

type Dependencies = Readonly<{
  store: Pick<Store, 'findUser' | 'listFactors'>
  record: Recorder
  throttle: Throttle
}>

/** Each reset counts, so that one application with a leaked key cannot strip many users of their factors. */
export const resetFactors =
  (dependencies: Dependencies): ResetFactors =>
  (context, { application: { id: applicationId } }, { userId }) =>
    pipe(
      isPresent(userId) ? dependencies.store.findUser(userId) : TE.right(none),
      TE.chainEitherKW((user) => pipe(validateUserId({ userId }, user), E.mapLeft(invalid))),
      TE.chainW((user) =>
        withThrottle(
          dependencies.throttle,
          { kind: 'factor_resets', applicationId },
          {
            check: reset(dependencies, context, { user, actor: { kind: 'application', id: applicationId } }),
            isSuccess: () => false,
          },
        ),
      ),
      TE.bimap(
        (failure) => (failure._tag === 'UserUnknown' ? invalid<UserIdProblem>(['UserUnknown']) : failure),
        () => undefined,
      ),
    )

/** The same for a user that an operator names by e-mail or id. Operators have no limit. */
export const resetNamedFactors =
  (dependencies: Dependencies & Readonly<{ store: Pick<Store, 'findUserByEmail'> }>): ManageNamedUser =>
  (context, emailOrId) =>
    pipe(
      namedUser(dependencies.store, emailOrId),
      TE.chainW((user) => reset(dependencies, context, { user, actor: operatorOf(context) })),
      TE.map(({ id, email }) => ({ id, email })),
    )

const reset = (
  dependencies: Dependencies,
  context: RequestContext,
  { user, actor }: Readonly<{ user: User; actor: Actor }>,
): TE.TaskEither<UserUnknown | Overloaded | StoreUnavailable, User> =>
  pipe(
    changeUser(dependencies, (current) =>
      pipe(
        // They are read after the user, so that a later change of them is a conflict.
        dependencies.store.listFactors(current.id),
        TE.map((factors) =>
          some({
            _tag: 'FactorsReset',
            user: current,
            factors: factors.filter((factor) => !isIdentity(factor)),
          }),
        ),
      ),
    )(user, actor, context),
    TE.chainFirstTaskK(({ id }) => dependencies.throttle.forget({ kind: 'second_factor', userId: id })),
  )
