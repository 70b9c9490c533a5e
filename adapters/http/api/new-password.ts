import { map } from 'fp-ts/lib/Record.js'
import { weaknessTexts } from '../../../application/accounts/weakness-texts.ts'
import type { NewPasswordProblem } from '../../../domain/new-password.ts'
import {
  PASSWORD_WEAKNESSES,
  type PasswordPolicy,
  type PasswordWeakness,
  type RuleWeakness,
} from '../../../domain/password-policy.ts'
import { EXAMPLE } from '../operation/example-values.ts'
import type { FieldShape } from '../operation/fields.ts'
import type { Codes, ErrorItem } from '../operation/response.ts'

/** The two fields of a new password. */
export const NEW_PASSWORD_FIELDS = {
  new_password: {
    description: 'The new password. The server stores and compares it exactly as sent.',
    example: EXAMPLE.newPassword,
    format: 'password',
  },
  new_password_check: {
    description: 'The new password again.',
    example: EXAMPLE.newPassword,
    format: 'password',
  },
} as const satisfies Readonly<Record<string, FieldShape>>

/** The error items of a new password, with the codes of the route. */
export const newPasswordCodes = (
  policy: PasswordPolicy,
  codes: Readonly<Record<Exclude<NewPasswordProblem, RuleWeakness>, number>>,
): Codes<NewPasswordProblem> => ({
  NewPasswordMissing: item(codes.NewPasswordMissing, 'new_password', 'is missing or empty.'),
  NewPasswordCheckMissing: item(codes.NewPasswordCheckMissing, 'new_password_check', 'is missing or empty.'),
  NewPasswordCheckDiffers: item(
    codes.NewPasswordCheckDiffers,
    'new_password_check',
    'differs from new_password.',
  ),
  ...weaknessCodes(policy, codes.PasswordTooShort, 'new_password'),
})

/** The error item of a field. */
export const item = (code: number, param: string, predicate: string): ErrorItem => ({
  code,
  message: `${param} ${predicate}`,
  param,
})

/** The error items of the weaknesses that a policy or a rule refuses. They share one code. */
export const weaknessCodes = (policy: PasswordPolicy, code: number, param: string): Codes<PasswordWeakness> =>
  map((predicate: string): ErrorItem => ({ code, param, message: `${param} ${predicate}` }))(
    weaknessTexts(policy),
  )

/** The weaknesses that a policy does not check. Rules exist beside every policy. */
export const impossibleWeaknesses = ({ kind }: PasswordPolicy): ReadonlyArray<PasswordWeakness> =>
  kind === 'contract' ? PASSWORD_WEAKNESSES : []
