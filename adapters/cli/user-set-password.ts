import type { SetPasswordProblem } from '../../application/accounts/set-password.ts'
import type { Invalid } from '../../application/ports/failures.ts'
import type { UserUnknown } from '../../application/recording/change-user.ts'
import type { CommandContext } from './command-context.ts'
import { runOrFail, withOperations } from './operations.ts'
import { PASSWORD_MISSING, readPassword } from './password-stdin.ts'
import { printRecord } from './print.ts'
import { refuseUnreadablePasswords } from './readable-passwords.ts'
import { userUnknown } from './user-unknown.ts'
import { weaknessSentences } from './weakness-sentences.ts'

/** `portcullis user set-password` */
export const userSetPassword = (
  context: CommandContext,
  emailOrId: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(context, async ({ setPassword, settings, ...passwords }, asOperator) => {
    await refuseUnreadablePasswords(passwords)
    const sentences: Readonly<Record<SetPasswordProblem, string>> = {
      PasswordMissing: PASSWORD_MISSING,
      ...weaknessSentences(settings.passwordPolicy),
    }
    const password = await readPassword(context.input)
    const record = await runOrFail(
      setPassword(asOperator, { user: emailOrId, password }),
      (failure: Invalid<SetPasswordProblem> | UserUnknown) =>
        failure._tag === 'Invalid'
          ? failure.problems.map((problem) => sentences[problem]).join('\n')
          : userUnknown(failure),
    )
    printRecord(context, {
      json,
      record,
      note: 'The password is set, and all sessions of the user have ended.',
    })
  })
