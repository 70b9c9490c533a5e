import { map } from 'fp-ts/lib/Record.js'
import { minimumOf, type PasswordPolicy, type PasswordWeakness } from '../../../../domain/password-policy.ts'
import { weaknessTexts } from '../../weaknesses.ts'
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

/** The items of the weaknesses that a policy or a rule refuses. They share one code. */
export const weaknessErrors = (
  policy: PasswordPolicy,
  code: number,
): Readonly<Record<PasswordWeakness, FieldError>> =>
  map(
    (predicate: string): FieldError => ({
      code,
      param: 'new_password',
      message: `The new password ${predicate}`,
    }),
  )(weaknessTexts(policy))

export const SIGN_IN_AGAIN =
  'You are signed out everywhere. Return to the application and sign in with the new password.'
