import { none, type Option, some } from 'fp-ts/lib/Option.js'

/**
 * The policy for new passwords (docs/contract.md §7.4). `contract` accepts every non-empty password; `nist` follows
 * SP 800-63B-4 §3.1.1.2.
 */
export type PasswordPolicy = Readonly<{ kind: 'contract' } | { kind: 'nist'; minCodePoints: number }> &
  Readonly<{
    /** The rules of the embedding program, in their order. */
    rules?: ReadonlyArray<DescribedRule>
    /** Whether there is a list of leaked passwords. */
    hasLeakedList?: boolean
  }>

/** What a rule of the embedding program shows to everyone: its name, and why it refuses a password. */
export type DescribedRule = Readonly<{ name: string; refusal: string }>

/** Why a policy refuses a password. The response contains only the first reason, in this order. */
export const PASSWORD_WEAKNESSES = [
  'PasswordTooShort',
  'PasswordLeaked',
  'PasswordFromNames',
  'PasswordCommon',
  'PasswordGuessable',
] as const
export type PasswordWeakness = (typeof PASSWORD_WEAKNESSES)[number] | RuleWeakness

/** A rule of the embedding program refuses the password. Rules count from 1. */
export type RuleWeakness = `PasswordRule${number}`

/** The weakness that a rule reports, by its position in the list of rules. */
export const ruleWeakness = (index: number): RuleWeakness => `PasswordRule${index + 1}`

export const isRuleWeakness = (problem: string): problem is RuleWeakness => /^PasswordRule\d+$/.test(problem)

/** Whether a problem is that the policy or a rule refuses the password. */
export const isPasswordWeakness = (problem: string): problem is PasswordWeakness =>
  isRuleWeakness(problem) || PASSWORD_WEAKNESSES.some((weakness) => weakness === problem)

/**
 * The code of each reason, on a route whose first code for them is `first` (docs/password-policy.md): one reason, one code. All rules
 * share one.
 */
export const weaknessCodes = (first: number) => ({
  PasswordRule: first,
  PasswordTooShort: first + 1,
  PasswordLeaked: first + 2,
  PasswordFromNames: first + 3,
  PasswordCommon: first + 4,
  PasswordGuessable: first + 5,
})

export const weaknessCode = (
  codes: Readonly<ReturnType<typeof weaknessCodes>>,
  weakness: PasswordWeakness,
): number => codes[isRuleWeakness(weakness) ? 'PasswordRule' : weakness]

/** The checks that a policy makes, besides length and rules. */
export const checksOf = ({ kind, hasLeakedList }: PasswordPolicy): ReadonlyArray<PasswordCheck> =>
  kind === 'contract' ? [] : PASSWORD_CHECKS.filter((check) => check !== 'leaked' || hasLeakedList)

export const PASSWORD_CHECKS = ['leaked', 'names', 'common', 'guessable'] as const
export type PasswordCheck = (typeof PASSWORD_CHECKS)[number]

/**
 * How hard a text is to guess. `common` consists of frequent passwords and words, `guessable` of patterns (keyboard rows,
 * sequences, repetitions, dates). `strong` is neither.
 */
export type PasswordEstimate = 'strong' | 'common' | 'guessable'

/** What the policy must look up about a password. */
export type PasswordFacts = Readonly<{
  leaked: boolean
  /** Whether it contains names of its user or of the service (password-names.ts). */
  hasNames: boolean
  /** The estimate of the password without those names: attackers know them, so they add no strength. */
  estimate: PasswordEstimate
}>

/** The facts of a password that needs no look-up. */
export const NOTHING_FOUND: PasswordFacts = { leaked: false, hasNames: false, estimate: 'strong' }

/** The minimum length of a password in code points: SP 800-63B-4 counts each of them as one character. */
export const minimumOf = (policy: PasswordPolicy): number =>
  policy.kind === 'nist' ? policy.minCodePoints : 1

/** Whether a look-up can change the result. */
export const needsLookUp = (policy: PasswordPolicy, password: string): boolean =>
  policy.kind === 'nist' && !isTooShort(policy, password)

/** Returns why the policy refuses a non-empty password, if it does. */
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
