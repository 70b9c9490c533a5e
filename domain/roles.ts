import * as E from 'fp-ts/lib/Either.js'
import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { none, type Option, some } from 'fp-ts/lib/Option.js'
import { isAbsent } from './field.ts'

/** The roles of a user: sorted, each once. Programs that verify tokens give them a meaning; here they permit nothing. */
export type Roles = ReadonlyArray<string>

/** Tokens contain all roles. With these bounds a JWT stays below 1.5 KB, so cookies and headers have room for it. */
export const MAX_ROLES = 20
export const MAX_ROLES_CHARACTERS = 512

/** No space, because rows separate roles by one. */
const ROLE = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/
export const MAX_ROLE_CHARACTERS = 64

/** Whether a value is the name of a role. Upper and lower case differ. */
export const isRole = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_ROLE_CHARACTERS && ROLE.test(value)

/** A user, as far as its roles are concerned. */
type WithRoles = Readonly<{ roles: Roles }>

/** Returns roles as rows contain them, separated by spaces. */
export const rolesText = (roles: Roles): string => roles.join(' ')

/** Returns the roles in a text of `rolesText`; none if one of them is no role. */
export const parseRoles = (text: string): Option<Roles> => {
  if (text === '') return some(NO_ROLES)
  const words = text.split(' ')
  return words.every(isRole) ? some(words) : none
}

export const NO_ROLES: Roles = []

/** The claim of a user token, and of its introspection. A user without roles has none. */
export const rolesClaim = ({ roles }: WithRoles): Readonly<{ roles?: Roles }> =>
  roles.length === 0 ? {} : { roles }

/** What is added to the roles of a user, and what is removed. A role in both lists is removed. */
export type RolesChange = Readonly<{ add: Roles; remove: Roles }>

/** Returns the roles of a user after a change, sorted and each once, or that they are more than a user can have. */
export const changedRoles = (
  { roles }: WithRoles,
  { add, remove }: RolesChange,
): E.Either<NonEmptyArray<'TooManyRoles'>, Roles> => {
  const removed = new Set(remove)
  const changed = [...new Set([...roles, ...add])].filter((role) => !removed.has(role)).sort()
  return changed.length <= MAX_ROLES && rolesText(changed).length <= MAX_ROLES_CHARACTERS
    ? E.right(changed)
    : E.left(['TooManyRoles'])
}

/** Returns the roles of a user to import. An absent field means none. */
export const importedRoles = (
  field: unknown,
): E.Either<NonEmptyArray<'RolesMalformed' | 'TooManyRoles'>, Roles> => {
  if (isAbsent(field)) return E.right(NO_ROLES)
  if (!Array.isArray(field) || !field.every(isRole)) return E.left(['RolesMalformed'])
  return changedRoles({ roles: NO_ROLES }, { add: field, remove: NO_ROLES })
}
