import { toUndefined } from 'fp-ts/lib/Option.js'
import type { ListedUser } from '../../application/accounts/search-users.ts'
import { type PrintedRecord, rfc3339 } from './print.ts'

/** A user as `user list` and `user show` print it. */
export const userRecord = ({
  id,
  email,
  emailVerified,
  status,
  createdAtSeconds,
  passwordScheme,
}: ListedUser): PrintedRecord => ({
  id,
  email,
  email_verified: emailVerified,
  status,
  created_at: rfc3339(toUndefined(createdAtSeconds)),
  password_scheme: passwordScheme === '' ? null : passwordScheme,
})
