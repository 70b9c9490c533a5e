import { minimumOf, type PasswordPolicy, type PasswordWeakness } from '../../../domain/password-policy.ts'
import type { Codes, ErrorItem } from '../answer.ts'

/** What a policy has against a password, under the one code that a route has for all of it. */
export const weaknessCodes = (
  policy: PasswordPolicy,
  code: number,
  param: string,
): Codes<PasswordWeakness> => {
  const item = (wrong: string): ErrorItem => ({ code, param, message: `${param} ${wrong}` })
  return {
    PasswordTooShort: item(`has fewer than ${minimumOf(policy)} characters.`),
    PasswordLeaked: item('is on the list of leaked passwords.'),
    PasswordFromNames: item('is built from the e-mail address or the name of the service.'),
    PasswordCommon: item('is built from passwords or words that many people choose.'),
    PasswordGuessable: item('is built from patterns that are easy to guess.'),
  }
}
