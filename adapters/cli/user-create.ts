import type { Readable } from 'node:stream'
import type { Invalid } from '../../application/invalid.ts'
import type { RegistrationProblem } from '../../domain/registration.ts'
import { Refusal } from './exit.ts'
import { OPERATOR_CALL, orRefuse, withOperations } from './operations.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis user create` */
export const userCreate = (
  terminal: Terminal,
  { email, json }: { email: string; json: boolean },
): Promise<void> =>
  withOperations(terminal, async ({ registerUser }) => {
    const password = await readPassword(terminal.input)
    const user = await orRefuse(
      registerUser(OPERATOR_CALL, { email, password }),
      ({ problems }: Invalid<RegistrationProblem>) =>
        problems.map((problem) => SENTENCES[problem]).join('\n'),
    )
    if (json) terminal.print(JSON.stringify(user))
    else for (const [name, value] of Object.entries(user)) terminal.print(`${name.padEnd(6)} ${value}`)
  })

const SENTENCES: Readonly<Record<RegistrationProblem, string>> = {
  EmailMissing: '--email is missing or empty.',
  EmailMalformed: '--email is no e-mail address, or has more than 254 characters.',
  EmailTaken: 'A user with this e-mail exists already.',
  PasswordMissing: 'The password on standard input is empty.',
}

/** As much as a request may hold. */
const MAX_PASSWORD_BYTES = 16 * 1024

/** All of standard input, less one line feed at its end. */
const readPassword = async (input: Readable): Promise<string> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk))
    bytes += chunk.length
    if (bytes > MAX_PASSWORD_BYTES)
      throw new Refusal(`The password is longer than ${MAX_PASSWORD_BYTES} bytes.`)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
    return text.replace(/\n$/, '')
  } catch {
    throw new Refusal('The password on standard input is no valid UTF-8.')
  }
}
