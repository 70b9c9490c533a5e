import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Actor } from '../../domain/event.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import type { User } from '../../domain/user.ts'
import { type UserIdProblem, type UserIdRequest, validateUserId } from '../../domain/user-management.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { changeUser, namedUser, type UserUnknown } from '../recording/change-user.ts'
import type { Fact } from '../recording/facts.ts'
import { operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'
import type { Throttle } from '../throttling/throttle.ts'

/** What an operator or an application can do to a user. A repeated call changes nothing where it has no effect. */
export type UserAction = keyof typeof FACT_OF | 'remove'

/** What happens to the user; none if nothing changes. */
const FACT_OF = {
  /** Blocks sign-in and ends all sessions permanently. */
  disable: (user) => (user.status === 'disabled' ? none : some({ _tag: 'UserDisabled', user })),
  /** Allows sign-in again. */
  enable: (user) => (user.status === 'enabled' ? none : some({ _tag: 'UserEnabled', user })),
  /** Disabling has ended the sessions of a disabled user. Others may be signing in now, so their sessions end in any case. */
  endSessions: (user) => (user.status === 'disabled' ? none : some({ _tag: 'SessionsEnded', user })),
} as const satisfies Record<string, (user: User) => Option<Fact>>

/**
 * Leaves only the id in the row of the user, and erases its factors. The e-mail can be registered again. Pending one-time tokens expire
 * with theirs. The factors are read after the user, so that a later change of them is a conflict.
 */
const removal = (store: UserStore, user: User): TE.TaskEither<StoreUnavailable, Option<Fact>> =>
  pipe(
    store.listFactors(user.id),
    TE.map((factors) => some({ _tag: 'UserRemoved', user, factors })),
  )

type UserStore = Pick<Store, 'findUser' | 'listFactors'>

type Dependencies = Readonly<{ store: UserStore; record: Recorder; throttle: Pick<Throttle, 'forget'> }>

const changeBy = (dependencies: Dependencies, action: UserAction) => {
  const change = changeUser(dependencies, (user) =>
    action === 'remove' ? removal(dependencies.store, user) : TE.right(FACT_OF[action](user)),
  )
  return (user: User, actor: Actor, context: RequestContext): ReturnType<typeof change> =>
    pipe(
      change(user, actor, context),
      TE.chainFirstTaskK(({ id }) =>
        action === 'remove' ? dependencies.throttle.forget({ kind: 'second_factor', userId: id }) : NOTHING,
      ),
    )
}

const NOTHING = T.of(undefined)

/** Manages a user, for an application (docs/administration.md §3). A removed user is unknown. */
export type ManageUser = (
  context: RequestContext,
  request: UserIdRequest & Readonly<{ action: UserAction }>,
  actor: Actor,
) => TE.TaskEither<Invalid<UserIdProblem> | Overloaded | StoreUnavailable, void>

export const manageUser =
  (dependencies: Dependencies): ManageUser =>
  (context, { action, userId }, actor) => {
    const found = isPresent(userId) ? dependencies.store.findUser(userId) : TE.right(none)
    return pipe(
      found,
      TE.chainEitherKW((user) => pipe(validateUserId({ userId }, user), E.mapLeft(invalid))),
      TE.chainW((user) => changeBy(dependencies, action)(user, actor, context)),
      TE.bimap(
        (failure) => (failure._tag === 'UserUnknown' ? invalid<UserIdProblem>(['UserUnknown']) : failure),
        () => undefined,
      ),
    )
  }

/** Manages a user that an operator names by e-mail or id. */
export type ManageNamedUser = (
  context: RequestContext,
  emailOrId: string,
) => TE.TaskEither<UserUnknown | Overloaded | StoreUnavailable, { id: string; email: string }>

type OperatorDependencies = Dependencies & Readonly<{ store: Pick<Store, 'findUserByEmail'> }>

const manageNamedUser =
  (action: UserAction) =>
  (dependencies: OperatorDependencies): ManageNamedUser =>
  (context, emailOrId) =>
    pipe(
      namedUser(dependencies.store, emailOrId),
      TE.chainW((user) => changeBy(dependencies, action)(user, operatorOf(context), context)),
      TE.map(({ id, email }) => ({ id, email })),
    )

export const disableUser = manageNamedUser('disable')
export const enableUser = manageNamedUser('enable')
export const removeUser = manageNamedUser('remove')
export const endUserSessions = manageNamedUser('endSessions')
