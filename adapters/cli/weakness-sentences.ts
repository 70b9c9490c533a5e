import { minimumOf, type PasswordPolicy, type PasswordWeakness } from '../../domain/password-policy.ts'

/** What is said of a password that the policy refuses. */
export const weaknessSentences = (policy: PasswordPolicy): Readonly<Record<PasswordWeakness, string>> => ({
  PasswordTooShort: `The password has fewer than ${minimumOf(policy)} characters.`,
  PasswordLeaked: 'The password is on the list of leaked passwords.',
  PasswordFromNames: 'The password is built from the e-mail address or the name of the service.',
  PasswordCommon: 'The password is built from passwords or words that many people choose.',
  PasswordGuessable: 'The password is built from patterns that are easy to guess.',
})
