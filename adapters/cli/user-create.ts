import type { Invalid } from '../../application/ports/failures.ts'
import { operatorOf } from '../../application/recording/recorder.ts'
import type { PasswordWeakness } from '../../domain/password-policy.ts'
import type { RegistrationProblem } from '../../domain/registration.ts'
import type { CommandContext } from './command-context.ts'
import { runOrFail, withOperations } from './operations.ts'
import { PASSWORD_MISSING, readPassword } from './password-stdin.ts'
import { printRecord } from './print.ts'
import { refuseUnreadablePasswords } from './readable-passwords.ts'
import { weaknessSentences } from './weakness-sentences.ts'

/** `portcullis user create` */
export const userCreate = (
  context: CommandContext,
  { email, json }: { email: string; json: boolean },
): Promise<void> =>
  withOperations(
    context,
    async ({ registerUser, settings, ...passwords }, asOperator) => {
      await refuseUnreadablePasswords(passwords)
      const sentences: Readonly<Record<RegistrationProblem, string>> = {
        ...SENTENCES,
        ...weaknessSentences(settings.passwordPolicy),
      }
      const password = await readPassword(context.input)
      const { id, email: registered } = await runOrFail(
        registerUser(asOperator, { email, password }, operatorOf(asOperator)),
        ({ problems }: Invalid<RegistrationProblem>) =>
          problems.map((problem) => sentences[problem]).join('\n'),
      )
      printRecord(context, { json, record: { id, email: registered } })
    },
    'migrate',
  )

const SENTENCES: Readonly<Record<Exclude<RegistrationProblem, PasswordWeakness>, string>> = {
  EmailMissing: '--email is missing or empty.',
  EmailMalformed: '--email must be an e-mail address with at most 254 characters.',
  EmailTaken: 'This e-mail is already registered.',
  PasswordMissing: PASSWORD_MISSING,
}
