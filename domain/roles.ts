import * as E from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { isNone, none, type Option, some } from 'fp-ts/lib/Option.js'
import { combineFields, type Field, isAbsent } from './field.ts'
import type { User } from './user.ts'
import { type UserIdProblem, validateUserId } from './user-management.ts'

/** The roles of a user: sorted, each once. Programs that verify tokens give them a meaning; here they permit nothing. */
export type Roles = ReadonlyArray<string>

/** Tokens contain all roles. With these bounds a JWT stays below 1.5 KB, so cookies and headers have room for it. */
const MAX_ROLES = 20
const MAX_CHARACTERS = 512

/** No space, because rows separate roles by one. */
const ROLE = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/

/** Whether a value is the name of a role. Upper and lower case differ. */
export const isRole = (value: unknown): value is string => typeof value === 'string' && ROLE.test(value)

/** Returns roles as rows contain them, separated by spaces. */
export const rolesText = (roles: Roles): string => roles.join(' ')

/** Returns the roles in a text of `rolesText`; none if one of them is no role. */
export const parseRoles = (text: string): Option<Roles> => {
  if (text === '') return some(NO_ROLES)
  const words = text.split(' ')
  return words.every(isRole) ? some(words) : none
}

export const NO_ROLES: Roles = []

/** Returns the roles sorted, each once; none if they are more than a user can have. */
export const boundedRoles = (roles: Iterable<string>): Option<Roles> => {
  const sorted = [...new Set(roles)].sort()
  return sorted.length <= MAX_ROLES && rolesText(sorted).length <= MAX_CHARACTERS ? some(sorted) : none
}

/** The claim of a user token, and of its introspection. A user without roles has none. */
export const rolesClaim = ({ roles }: Pick<User, 'roles'>): Readonly<{ roles?: Roles }> =>
  roles.length === 0 ? {} : { roles }

/** What is added to the roles of a user, and what is removed. A role in both lists is removed. */
export type RolesChange = Readonly<{ add: Roles; remove: Roles }>

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

/** Returns the roles of a user after a change, or that they are more than a user can have. */
export const changedRoles = (
  { roles }: Pick<User, 'roles'>,
  { add, remove }: RolesChange,
): E.Either<NonEmptyArray<'TooManyRoles'>, Roles> => {
  const removed = new Set(remove)
  const bounded = boundedRoles([...roles, ...add].filter((role) => !removed.has(role)))
  return isNone(bounded) ? E.left(['TooManyRoles']) : E.right(bounded.value)
}

/** Returns the roles of a user to import. An absent field means none. */
export const importedRoles = (
  field: unknown,
): E.Either<NonEmptyArray<'RolesMalformed' | 'TooManyRoles'>, Roles> => {
  if (isAbsent(field)) return E.right(NO_ROLES)
  if (!Array.isArray(field) || !field.every(isRole)) return E.left(['RolesMalformed'])
  return changedRoles({ roles: NO_ROLES }, { add: field, remove: NO_ROLES })
}
