import { none, type Option, some } from 'fp-ts/lib/Option.js'

/** What a new password has to be: by `contract` no more than there, by `nist` what SP 800-63B-4 §3.1.1.2 asks for. */
export type PasswordPolicy = Readonly<{ kind: 'contract' } | { kind: 'nist'; minCodePoints: number }>

/** Why a policy refuses a password. Of several reasons only the first is said, in this order. */
export const PASSWORD_WEAKNESSES = [
  'PasswordTooShort',
  'PasswordLeaked',
  'PasswordFromNames',
  'PasswordCommon',
  'PasswordGuessable',
] as const
export type PasswordWeakness = (typeof PASSWORD_WEAKNESSES)[number]

/**
 * How a text fares with somebody who knows what people choose: `common` is made of passwords and words that many
 * choose, `guessable` of patterns (rows of keys, sequences, repetitions, dates), and `strong` is neither.
 */
export type PasswordEstimate = 'strong' | 'common' | 'guessable'

/** What has to be looked up of a password. */
export type PasswordFacts = Readonly<{
  leaked: boolean
  /** Whether names of its user or of the service stand in it (password-names.ts). */
  hasNames: boolean
  /** Of what is left when those names are taken away: they are known to everybody, so they are worth nothing. */
  estimate: PasswordEstimate
}>

/** What is known of a password of which nothing was looked up. */
export const NOTHING_FOUND: PasswordFacts = { leaked: false, hasNames: false, estimate: 'strong' }

/** The least a password has, in code points: SP 800-63B-4 counts each of them as one character. */
export const minimumOf = (policy: PasswordPolicy): number =>
  policy.kind === 'nist' ? policy.minCodePoints : 1

/** Looking something up is worth its cost only where it can change the verdict. */
export const isWorthLookingUp = (policy: PasswordPolicy, password: string): boolean =>
  policy.kind === 'nist' && !isTooShort(policy, password)

/** What is wrong with a password, if anything. It is not empty. */
export const weaknessOf = (
  policy: PasswordPolicy,
  password: string,
  { leaked, hasNames, estimate }: PasswordFacts,
): Option<PasswordWeakness> => {
  if (policy.kind === 'contract') return none
  if (isTooShort(policy, password)) return some('PasswordTooShort')
  if (leaked) return some('PasswordLeaked')
  if (estimate === 'strong') return none
  if (hasNames) return some('PasswordFromNames')
  return some(estimate === 'common' ? 'PasswordCommon' : 'PasswordGuessable')
}

const isTooShort = (policy: PasswordPolicy, password: string): boolean =>
  [...password].length < minimumOf(policy)
