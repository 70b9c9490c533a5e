import { map } from 'fp-ts/lib/Record.js'
import { weaknessTexts } from '../../../application/accounts/weakness-texts.ts'
import {
  PASSWORD_WEAKNESSES,
  type PasswordPolicy,
  type PasswordWeakness,
} from '../../../domain/password-policy.ts'
import type { Codes, ErrorItem } from '../operation/response.ts'

/** The error items of the weaknesses that a policy or a rule refuses. They share one code. */
export const weaknessCodes = (policy: PasswordPolicy, code: number, param: string): Codes<PasswordWeakness> =>
  map((predicate: string): ErrorItem => ({ code, param, message: `${param} ${predicate}` }))(
    weaknessTexts(policy),
  )

/** The weaknesses that a policy does not check. Rules exist beside every policy. */
export const impossibleWeaknesses = ({ kind }: PasswordPolicy): ReadonlyArray<PasswordWeakness> =>
  kind === 'contract' ? PASSWORD_WEAKNESSES : []
