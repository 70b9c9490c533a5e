import { NO_ROLES } from '../../domain/roles.ts'
import type { HashedPassword } from '../../domain/user.ts'
import type { NewUser } from './facts.ts'

/** Returns a user who has just begun. */
export const newUserOf = ({
  password,
  ...given
}: Pick<NewUser, 'id' | 'email' | 'emailVerified'> & Readonly<{ password: HashedPassword }>): NewUser => ({
  ...given,
  passwordRecord: password.record,
  passwordScheme: password.scheme,
  emailVersion: 1,
  passwordVersion: 1,
  sessionsVersion: 1,
  allEndedVersion: 1,
  roles: NO_ROLES,
  status: 'enabled',
  attributes: '',
})
