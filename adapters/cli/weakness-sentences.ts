import { map } from 'fp-ts/lib/Record.js'
import { weaknessTexts } from '../../application/accounts/weakness-texts.ts'
import type { PasswordPolicy, PasswordWeakness } from '../../domain/password-policy.ts'

/** One sentence for each weakness that the policy refuses. */
export const weaknessSentences = (policy: PasswordPolicy): Readonly<Record<PasswordWeakness, string>> =>
  map((wrong: string) => `The password ${wrong}`)(weaknessTexts(policy))
