import {
  minimumOf,
  type PasswordPolicy,
  type PasswordWeakness,
  ruleWeakness,
} from '../../domain/password-policy.ts'

/** Why a policy or a rule refuses a password: the end of a sentence that begins with the name of the password or its field. */
export const weaknessTexts = (policy: PasswordPolicy): Readonly<Record<PasswordWeakness, string>> => ({
  PasswordTooShort: `has fewer than ${minimumOf(policy)} characters.`,
  PasswordLeaked: 'is on the list of leaked passwords.',
  PasswordFromNames: 'is built from the e-mail address or the name of the service.',
  PasswordCommon: 'is built from passwords or words that many people choose.',
  PasswordGuessable: 'is built from patterns that are easy to guess.',
  ...Object.fromEntries((policy.rules ?? []).map(({ refusal }, index) => [ruleWeakness(index), refusal])),
})
