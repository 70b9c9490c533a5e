import { map } from 'fp-ts/lib/Record.js'
import type { PasswordPolicy, PasswordWeakness } from '../../../domain/password-policy.ts'
import { weaknessTexts } from '../weaknesses.ts'

/** One sentence for each weakness that the policy refuses. */
export const weaknessSentences = (policy: PasswordPolicy): Readonly<Record<PasswordWeakness, string>> =>
  map((wrong: string) => `The password ${wrong}`)(weaknessTexts(policy))
