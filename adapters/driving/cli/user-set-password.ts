import type { Invalid } from '../../../application/invalid.ts'
import { NO_REQUEST } from '../../../application/recording/recorder.ts'
import type { UserUnknown } from '../../../application/recording/user-by-email.ts'
import type { SetPasswordProblem } from '../../../application/set-password.ts'
import { orRefuse, withOperations } from './operations.ts'
import { PASSWORD_MISSING, readPassword } from './password-stdin.ts'
import { printOne } from './print.ts'
import { expectReadablePasswords } from './readable-passwords.ts'
import type { Terminal } from './terminal.ts'
import { USER_UNKNOWN } from './user-status.ts'
import { weaknessSentences } from './weakness-sentences.ts'

/** `portcullis user set-password` */
export const userSetPassword = (
  terminal: Terminal,
  email: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ setPassword, settings, ...passwords }) => {
    await expectReadablePasswords(passwords)
    const sentences = { PasswordMissing: PASSWORD_MISSING, ...weaknessSentences(settings.passwordPolicy) }
    const password = await readPassword(terminal.input)
    const user = await orRefuse(
      setPassword(NO_REQUEST, { email, password }),
      (failure: Invalid<SetPasswordProblem> | UserUnknown) =>
        failure._tag === 'Invalid' ? sentences[failure.problems[0]] : USER_UNKNOWN,
    )
    printOne(terminal, json, user, 'The password is set, and every session of the user has ended.')
  })
