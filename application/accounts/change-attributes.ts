import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, type Option } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { UserCaller } from '../../domain/access.ts'
import {
  type Attributes,
  type AttributesPatch,
  type AttributesProblem,
  attributesOf,
  changedAttributes,
  type UserAttributesProblem,
  type UserAttributesRequest,
  validateAttributes,
  validateUserAttributes,
} from '../../domain/attributes.ts'
import type { Actor } from '../../domain/event.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { isAlive } from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import { neverFailsWith, type Recorder, type RequestContext } from '../recording/recorder.ts'
import { retryOnConflict } from '../recording/retry-on-conflict.ts'
import { retryOnSessionConflict } from '../recording/session-facts.ts'
import { type Throttle, type Throttled, withThrottle } from '../throttling/throttle.ts'

/**
 * Changes attributes of the signed-in user, and returns all that are set (docs/attributes.md). Of changes at once to different attributes,
 * all are kept. Only a change that is made counts on the limit.
 */
export type ChangeOwnAttributes = (
  context: RequestContext,
  caller: UserCaller,
  patch: AttributesPatch,
) => TE.TaskEither<
  Invalid<AttributesProblem> | InvalidToken | Throttled | Overloaded | StoreUnavailable,
  Attributes
>

/** The same for an application and any user. Applications have no limit, as for their other changes of users. */
export type ChangeAttributes = (
  context: RequestContext,
  request: UserAttributesRequest,
  actor: Actor,
) => TE.TaskEither<Invalid<UserAttributesProblem> | Overloaded | StoreUnavailable, Attributes>

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'findUser'>
  clock: Clock
  record: Recorder
  throttle: Throttle
}>

export const changeOwnAttributes =
  (dependencies: Dependencies): ChangeOwnAttributes =>
  (context, caller, patch) =>
    retryOnSessionConflict(
      dependencies.store,
      (
        facts,
      ): TE.TaskEither<
        Invalid<AttributesProblem> | InvalidToken | Throttled | Conflict | StoreUnavailable,
        Attributes
      > => {
        // After a conflict the session may have ended.
        if (!isAlive(facts, dependencies.clock() / 1000)) return TE.left({ _tag: 'InvalidToken' })
        const { user } = facts
        const limited = <A>(check: TE.TaskEither<Conflict | StoreUnavailable, A>) =>
          withThrottle(
            dependencies.throttle,
            { kind: 'attribute_changes', userId: user.id },
            {
              check,
              isSuccess: () => false,
            },
          )
        return pipe(
          validateAttributes(attributesOf(user.attributes), patch),
          E.mapLeft(invalid),
          TE.fromEither,
          TE.chainFirstW((attributes) => {
            const write = written(
              dependencies.record,
              { user, attributes },
              { kind: 'user', id: user.id },
              context,
            )
            return write === undefined ? UNCHANGED : limited(write)
          }),
        )
      },
    )(caller)

export const changeAttributes =
  ({ store, record }: Pick<Dependencies, 'store' | 'record'>): ChangeAttributes =>
  (context, request, actor) => {
    const { userId } = request
    const read = () => (isPresent(userId) ? store.findUser(userId) : TE.right(none))
    const change = (
      found: Option<User>,
    ): TE.TaskEither<Invalid<UserAttributesProblem> | Conflict | StoreUnavailable, Attributes> =>
      pipe(
        validateUserAttributes(request, found),
        E.mapLeft(invalid),
        TE.fromEither,
        TE.chainFirstW((changed) => written(record, changed, actor, context) ?? UNCHANGED),
        TE.map(({ attributes }) => attributes),
      )
    return pipe(read(), TE.chainW(retryOnConflict(read, change)))
  }

const UNCHANGED = TE.right<never, void>(undefined)

/** Records the change. It is undefined if nothing changes: then there is no event. */
const written = (
  record: Recorder,
  { user, attributes }: Readonly<{ user: User; attributes: Attributes }>,
  actor: Actor,
  context: RequestContext,
): TE.TaskEither<Conflict | StoreUnavailable, void> | undefined =>
  changedAttributes(attributesOf(user.attributes), attributes).length === 0
    ? undefined
    : pipe(
        record([{ _tag: 'UserAttributesChanged', user, attributes }], actor, context),
        neverFailsWith('EmailTaken'),
      )
