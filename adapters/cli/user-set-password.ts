import type { Invalid } from '../../application/invalid.ts'
import { NO_REQUEST } from '../../application/recorder.ts'
import type { UserUnknown } from '../../application/user-by-email.ts'
import { orRefuse, withOperations } from './operations.ts'
import { PASSWORD_MISSING, readPassword } from './password-stdin.ts'
import { printOne } from './print.ts'
import type { Terminal } from './terminal.ts'
import { USER_UNKNOWN } from './user-status.ts'

/** `portcullis user set-password` */
export const userSetPassword = (
  terminal: Terminal,
  email: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ setPassword }) => {
    const password = await readPassword(terminal.input)
    const user = await orRefuse(
      setPassword(NO_REQUEST, { email, password }),
      ({ _tag }: Invalid<'PasswordMissing'> | UserUnknown) =>
        _tag === 'Invalid' ? PASSWORD_MISSING : USER_UNKNOWN,
    )
    printOne(terminal, json, user, 'The password is set, and every session of the user has ended.')
  })
