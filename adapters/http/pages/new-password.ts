import { mapWithIndex } from 'fp-ts/lib/Record.js'
import { weaknessTexts } from '../../../application/passwords/weakness-texts.ts'
import { NEW_PASSWORD_CODES as CODES, type NewPasswordProblem } from '../../../domain/new-password.ts'
import {
  minimumOf,
  type PasswordPolicy,
  type PasswordWeakness,
  weaknessCode,
} from '../../../domain/password-policy.ts'
import type { FieldError, Input } from './fields.ts'

/** The two inputs for a new password. */
export const newPasswordInputs = (policy: PasswordPolicy) => {
  const minimum = minimumOf(policy)
  const isLimited = minimum > 1
  return [
    {
      name: 'new_password',
      label: 'New password',
      type: 'password',
      autocomplete: 'new-password',
      hint: isLimited ? `Use at least ${minimum} characters. Several words are easy to remember.` : undefined,
      minLength: isLimited ? minimum : undefined,
    },
    {
      name: 'new_password_check',
      label: 'New password again',
      type: 'password',
      autocomplete: 'new-password',
    },
  ] as const satisfies ReadonlyArray<Input>
}

/** The items of the problems with a new password. */
export const newPasswordErrors = (
  policy: PasswordPolicy,
): Readonly<Record<NewPasswordProblem, FieldError>> => ({
  NewPasswordMissing: {
    code: CODES.NewPasswordMissing,
    param: 'new_password',
    message: 'Enter a new password.',
  },
  NewPasswordCheckMissing: {
    code: CODES.NewPasswordCheckMissing,
    param: 'new_password_check',
    message: 'Enter the new password again.',
  },
  NewPasswordCheckDiffers: {
    code: CODES.NewPasswordCheckDiffers,
    param: 'new_password_check',
    message: 'This is not the same as the new password.',
  },
  ...mapWithIndex(
    (weakness: PasswordWeakness, predicate: string): FieldError => ({
      code: weaknessCode(CODES, weakness),
      param: 'new_password',
      message: `The new password ${predicate}`,
    }),
  )(weaknessTexts(policy)),
})

export const SIGN_IN_AGAIN =
  'You are signed out everywhere. Return to the application and sign in with the new password.'
