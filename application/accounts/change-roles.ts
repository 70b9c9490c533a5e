import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ApplicationCaller } from '../../domain/access.ts'
import type { Actor } from '../../domain/event.ts'
import { type Invalid, invalid, isPresent } from '../../domain/field.ts'
import { changedRoles, type Roles, type RolesChange, rolesText } from '../../domain/roles.ts'
import { type RolesProblem, type RolesRequest, validateRolesChange } from '../../domain/roles-change.ts'
import type { User } from '../../domain/user.ts'
import type { Overloaded } from '../ports/failures.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { changeUser, namedUser, type UserUnknown } from '../recording/change-user.ts'
import { operatorOf, type Recorder, type RequestContext } from '../recording/recorder.ts'

/**
 * Adds and removes roles of a user, for an application (docs/roles.md), and returns all that the user then has. A change of nothing writes
 * nothing.
 */
export type ChangeRoles = (
  context: RequestContext,
  caller: ApplicationCaller,
  request: RolesRequest,
) => TE.TaskEither<Invalid<RolesProblem> | Overloaded | StoreUnavailable, Roles>

type Dependencies = Readonly<{ store: Pick<Store, 'findUser'>; record: Recorder }>

export const changeRoles =
  (dependencies: Dependencies): ChangeRoles =>
  (context, { application: { id } }, request) =>
    pipe(
      isPresent(request.userId) ? dependencies.store.findUser(request.userId) : TE.right(none),
      TE.chainEitherKW((user) => pipe(validateRolesChange(request, user), E.mapLeft(invalid))),
      TE.chainW(({ user, ...change }) =>
        changeRolesOf(dependencies, change)(user, { kind: 'application', id }, context),
      ),
      TE.bimap(
        (failure) => (failure._tag === 'UserUnknown' ? invalid<RolesProblem>(['UserUnknown']) : failure),
        ({ roles }) => roles,
      ),
    )

/** The same for a user that an operator names by e-mail or id. */
export type ChangeNamedRoles = (
  context: RequestContext,
  emailOrId: string,
  change: RolesChange,
) => TE.TaskEither<Invalid<'TooManyRoles'> | UserUnknown | Overloaded | StoreUnavailable, User>

export const changeNamedRoles =
  (dependencies: Dependencies & Readonly<{ store: Pick<Store, 'findUserByEmail'> }>): ChangeNamedRoles =>
  (context, emailOrId, change) =>
    pipe(
      namedUser(dependencies.store, emailOrId),
      TE.chainW((user) => changeRolesOf(dependencies, change)(user, operatorOf(context), context)),
    )

/** Returns the user with its roles after the change. A conflict is decided again on the fresh row, so concurrent changes are all kept. */
const changeRolesOf = (dependencies: Dependencies, change: RolesChange) => {
  const decide = (user: User) => pipe(changedRoles(user, change), E.mapLeft(invalid))
  const write = changeUser(dependencies, (user) =>
    pipe(
      TE.fromEither(decide(user)),
      TE.map((roles) =>
        rolesText(roles) === rolesText(user.roles)
          ? none
          : some({ _tag: 'UserRolesChanged', user, roles } as const),
      ),
    ),
  )
  return (user: User, actor: Actor, context: RequestContext) =>
    pipe(
      write(user, actor, context),
      TE.chainEitherKW((before) =>
        pipe(
          decide(before),
          E.map((roles): User => ({ ...before, roles })),
        ),
      ),
    )
}
