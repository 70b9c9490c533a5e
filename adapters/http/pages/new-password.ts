import { mapWithIndex } from 'fp-ts/lib/Record.js'
import { weaknessTexts } from '../../../application/passwords/weakness-texts.ts'
import { NEW_PASSWORD_CODES as CODES, type NewPasswordProblem } from '../../../domain/new-password.ts'
import {
  minimumOf,
  type PasswordPolicy,
  type PasswordWeakness,
  weaknessCode,
} from '../../../domain/password-policy.ts'
import type { Say } from '../../texts/texts.ts'
import type { FieldError, Input } from './fields.ts'

/** The two inputs for a new password. */
export const newPasswordInputs = (say: Say, policy: PasswordPolicy) => {
  const minimum = minimumOf(policy)
  const isLimited = minimum > 1
  return [
    {
      name: 'new_password',
      label: say('field.new_password'),
      type: 'password',
      autocomplete: 'new-password',
      hint: isLimited ? say('field.new_password.hint', { count: minimum }) : undefined,
      minLength: isLimited ? minimum : undefined,
    },
    {
      name: 'new_password_check',
      label: say('field.new_password_check'),
      type: 'password',
      autocomplete: 'new-password',
    },
  ] as const satisfies ReadonlyArray<Input>
}

/** The items of the problems with a new password. */
export const newPasswordErrors = (
  say: Say,
  policy: PasswordPolicy,
): Readonly<Record<NewPasswordProblem, FieldError>> => ({
  NewPasswordMissing: {
    code: CODES.NewPasswordMissing,
    param: 'new_password',
    message: say('error.new_password_missing'),
  },
  NewPasswordCheckMissing: {
    code: CODES.NewPasswordCheckMissing,
    param: 'new_password_check',
    message: say('error.new_password_check_missing'),
  },
  NewPasswordCheckDiffers: {
    code: CODES.NewPasswordCheckDiffers,
    param: 'new_password_check',
    message: say('error.new_password_check_differs'),
  },
  ...mapWithIndex(
    (weakness: PasswordWeakness, predicate: string): FieldError => ({
      code: weaknessCode(CODES, weakness),
      param: 'new_password',
      message: weaknessText(say, policy, weakness, predicate),
    }),
  )(weaknessTexts(policy)),
})

/** A rule of the operator says its own words, in one language. */
const weaknessText = (
  say: Say,
  policy: PasswordPolicy,
  weakness: PasswordWeakness,
  predicate: string,
): string => {
  switch (weakness) {
    case 'PasswordTooShort':
      return say('error.password_short', { count: minimumOf(policy) })
    case 'PasswordLeaked':
      return say('error.password_leaked')
    case 'PasswordFromNames':
      return say('error.password_names')
    case 'PasswordCommon':
      return say('error.password_common')
    case 'PasswordGuessable':
      return say('error.password_guessable')
    default:
      return say('error.password_rule', { predicate })
  }
}
