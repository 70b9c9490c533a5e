import type { UserCaller } from '../../domain/access.ts'
import { type Attributes, attributesOf } from '../../domain/attributes.ts'
import type { Roles } from '../../domain/roles.ts'

/** The profile of a user (docs/contract.md §6). */
export type Profile = Readonly<{
  email: string
  id: string
  emailVerified: boolean
  roles: Roles
  attributes: Attributes
}>

/** Returns the profile of the user that a token belongs to. */
export const getProfile = ({ user }: UserCaller): Profile => ({
  email: user.email,
  id: user.id,
  emailVerified: user.emailVerified,
  roles: user.roles,
  attributes: attributesOf(user.attributes),
})
