import type { Invalid } from '../../../application/invalid.ts'
import { NO_REQUEST } from '../../../application/recording/recorder.ts'
import type { PasswordWeakness } from '../../../domain/password-policy.ts'
import type { RegistrationProblem } from '../../../domain/registration.ts'
import { orRefuse, withOperations } from './operations.ts'
import { PASSWORD_MISSING, readPassword } from './password-stdin.ts'
import { printOne } from './print.ts'
import { expectReadablePasswords } from './readable-passwords.ts'
import type { Terminal } from './terminal.ts'
import { weaknessSentences } from './weakness-sentences.ts'

/** `portcullis user create` */
export const userCreate = (
  terminal: Terminal,
  { email, json }: { email: string; json: boolean },
): Promise<void> =>
  withOperations(
    terminal,
    async ({ registerUser, settings, ...passwords }) => {
      await expectReadablePasswords(passwords)
      const sentences = { ...SENTENCES, ...weaknessSentences(settings.passwordPolicy) }
      const password = await readPassword(terminal.input)
      const user = await orRefuse(
        registerUser(NO_REQUEST, { email, password }, { kind: 'operator' }),
        ({ problems }: Invalid<RegistrationProblem>) =>
          problems.map((problem) => sentences[problem]).join('\n'),
      )
      printOne(terminal, json, user)
    },
    'migrate',
  )

const SENTENCES: Readonly<Record<Exclude<RegistrationProblem, PasswordWeakness>, string>> = {
  EmailMissing: '--email is missing or empty.',
  EmailMalformed: '--email is no e-mail address, or has more than 254 characters.',
  EmailTaken: 'A user with this e-mail exists already.',
  PasswordMissing: PASSWORD_MISSING,
}
