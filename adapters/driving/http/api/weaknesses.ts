import { map } from 'fp-ts/lib/Record.js'
import {
  PASSWORD_WEAKNESSES,
  type PasswordPolicy,
  type PasswordWeakness,
} from '../../../../domain/password-policy.ts'
import { weaknessTexts } from '../../weaknesses.ts'
import type { Codes, ErrorItem } from '../operation/answer.ts'

/** What a policy has against a password, under the one code that a route has for all of it. */
export const weaknessCodes = (policy: PasswordPolicy, code: number, param: string): Codes<PasswordWeakness> =>
  map((wrong: string): ErrorItem => ({ code, param, message: `${param} ${wrong}` }))(weaknessTexts(policy))

/** The weaknesses that a policy finds in no password. */
export const impossibleWeaknesses = ({ kind }: PasswordPolicy): ReadonlyArray<PasswordWeakness> =>
  kind === 'contract' ? PASSWORD_WEAKNESSES : []
