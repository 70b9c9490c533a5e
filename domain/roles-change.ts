import * as E from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { combineFields, type Field } from './field.ts'
import { isRole, NO_ROLES, type Roles, type RolesChange } from './roles.ts'
import type { User } from './user.ts'
import { type UserIdProblem, validateUserId } from './user-management.ts'

/** The problems behind the codes of docs/roles.md. */
export type RolesProblem =
  | UserIdProblem
  | 'RolesMissing'
  | 'AddMalformed'
  | 'RemoveMalformed'
  | 'TooManyRoles'

/** `add` and `remove` are the arrays of the request. Undefined: the request has none. */
export type RolesRequest = Readonly<{
  userId: Field
  add: ReadonlyArray<unknown> | undefined
  remove: ReadonlyArray<unknown> | undefined
}>

const combine = combineFields<RolesProblem>()

/** Returns the user and the change, or all problems of the request. `changedRoles` then finds whether they are too many. */
export const validateRolesChange = (
  { userId, add, remove }: RolesRequest,
  user: Option<User>,
): E.Either<NonEmptyArray<RolesProblem>, RolesChange & { user: User }> =>
  combine({
    user: validateUserId({ userId }, user),
    add: add === undefined && remove === undefined ? E.left(['RolesMissing']) : rolesIn(add, 'AddMalformed'),
    remove: rolesIn(remove, 'RemoveMalformed'),
  })

const rolesIn = <Problem>(
  values: ReadonlyArray<unknown> = NO_ROLES,
  malformed: Problem,
): E.Either<NonEmptyArray<Problem>, Roles> => (values.every(isRole) ? E.right(values) : E.left([malformed]))
