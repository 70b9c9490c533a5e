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
import { isAlive, type SessionFacts } from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import type { Clock } from '../ports/environment.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Conflict, Store, StoreUnavailable } from '../ports/store.ts'
import type { InvalidToken } from '../ports/token-format.ts'
import type { Fact } from '../recording/facts.ts'
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
) => TE.TaskEither<OwnFailure, Attributes>

type OwnFailure = Invalid<AttributesProblem> | InvalidToken | Throttled | Overloaded | StoreUnavailable

/** The same for an application and any user. Applications have no limit, as for their other changes of users. */
export type ChangeAttributes = (
  context: RequestContext,
  request: UserAttributesRequest,
  actor: Actor,
) => TE.TaskEither<Failure, Attributes>

type Failure = Invalid<UserAttributesProblem> | Overloaded | StoreUnavailable

type Dependencies = Readonly<{
  store: Pick<Store, 'findSession' | 'findUser'>
  clock: Clock
  record: Recorder
  throttle: Throttle
}>

export const changeOwnAttributes =
  ({ store, clock, record, throttle }: Dependencies): ChangeOwnAttributes =>
  (context, caller, patch) => {
    const { id } = caller.user
    const write = (fact: Fact): TE.TaskEither<Throttled | Conflict | StoreUnavailable, void> =>
      withThrottle(
        throttle,
        { kind: 'attribute_changes', userId: id },
        {
          check: pipe(record([fact], { kind: 'user', id }, context), neverFailsWith('EmailTaken')),
          isSuccess: () => false,
        },
      )
    const change = (facts: SessionFacts): TE.TaskEither<OwnFailure | Conflict, Attributes> =>
      // After a conflict the session may have ended.
      isAlive(facts, clock() / 1000)
        ? pipe(
            validateAttributes(attributesOf(facts.user.attributes), patch),
            E.bimap(invalid, (attributes) => ({ user: facts.user, attributes })),
            TE.fromEither,
            TE.chainW(writeIfChanged(write)),
          )
        : TE.left({ _tag: 'InvalidToken' })
    return retryOnSessionConflict(store, change)(caller)
  }

export const changeAttributes =
  ({ store, record }: Pick<Dependencies, 'store' | 'record'>): ChangeAttributes =>
  (context, request, actor) => {
    const { userId } = request
    const read = () => (isPresent(userId) ? store.findUser(userId) : TE.right(none))
    const write = (fact: Fact) => pipe(record([fact], actor, context), neverFailsWith('EmailTaken'))
    const change = (found: Option<User>): TE.TaskEither<Failure | Conflict, Attributes> =>
      pipe(
        validateUserAttributes(request, found),
        E.mapLeft(invalid),
        TE.fromEither,
        TE.chainW(writeIfChanged(write)),
      )
    return pipe(read(), TE.chainW(retryOnConflict(read, change)))
  }

/** Writes the attributes and returns them. If nothing changes, then nothing is written, and there is no event. */
const writeIfChanged =
  <E>(write: (fact: Fact) => TE.TaskEither<E, void>) =>
  ({ user, attributes }: Readonly<{ user: User; attributes: Attributes }>): TE.TaskEither<E, Attributes> =>
    changedAttributes(attributesOf(user.attributes), attributes).length === 0
      ? TE.right(attributes)
      : pipe(
          write({ _tag: 'UserAttributesChanged', user, attributes }),
          TE.map(() => attributes),
        )
