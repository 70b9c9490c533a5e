import type { UserUnknown } from '../../application/recording/change-user.ts'

/** The sentence of a command that finds no user. */
export const userUnknown = (_: UserUnknown): string =>
  'No user has this e-mail or id. See: portcullis user list'
