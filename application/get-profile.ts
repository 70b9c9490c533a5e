import type { UserCaller } from '../domain/access.ts'

/** Seed §4.3: the profile of the user a token belongs to. */
export type Profile = Readonly<{ email: string }>

export const getProfile = (caller: UserCaller): Profile => ({ email: caller.user.email })
