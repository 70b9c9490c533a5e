import { mapWithIndex } from 'fp-ts/lib/Record.js'
import { weaknessTexts } from '../../../application/passwords/weakness-texts.ts'
import { NEW_PASSWORD_CODES as CODES, type NewPasswordProblem } from '../../../domain/new-password.ts'
import {
  PASSWORD_WEAKNESSES,
  type PasswordPolicy,
  type PasswordWeakness,
  weaknessCode,
  type weaknessCodes,
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

/** The error items of a new password. */
export const newPasswordItems = (policy: PasswordPolicy): Codes<NewPasswordProblem> => ({
  NewPasswordMissing: item(CODES.NewPasswordMissing, 'new_password', 'is missing or empty.'),
  NewPasswordCheckMissing: item(CODES.NewPasswordCheckMissing, 'new_password_check', 'is missing or empty.'),
  NewPasswordCheckDiffers: item(
    CODES.NewPasswordCheckDiffers,
    'new_password_check',
    'differs from new_password.',
  ),
  ...weaknessItems(policy, CODES, 'new_password'),
})

/** The error item of a field. */
export const item = (code: number, param: string, predicate: string): ErrorItem => ({
  code,
  message: `${param} ${predicate}`,
  param,
})

/** The error items of the weaknesses that a policy or a rule refuses. */
export const weaknessItems = (
  policy: PasswordPolicy,
  codes: Readonly<ReturnType<typeof weaknessCodes>>,
  param: string,
): Codes<PasswordWeakness> =>
  mapWithIndex((weakness: PasswordWeakness, predicate: string) =>
    item(weaknessCode(codes, weakness), param, predicate),
  )(weaknessTexts(policy))

/** The weaknesses that a policy does not check. Rules exist beside every policy. */
export const impossibleWeaknesses = ({
  kind,
  hasLeakedList,
}: PasswordPolicy): ReadonlyArray<PasswordWeakness> => {
  if (kind === 'contract') return PASSWORD_WEAKNESSES
  return hasLeakedList ? [] : ['PasswordLeaked']
}
