import type { UserCaller } from '../domain/access.ts'

/** The profile of a user (docs/contract.md §6). */
export type Profile = Readonly<{ email: string }>

/** Returns the profile of the user that a token belongs to. */
export const getProfile = (caller: UserCaller): Profile => ({ email: caller.user.email })
