import type { ChangePasswordByEmail } from '../../../application/accounts/change-password-by-email.ts'
import type { CompletePasswordChange } from '../../../application/accounts/complete-password-change.ts'
import { PASSWORD_PAGE } from '../../../domain/page-visitor.ts'
import { PASSWORD_CHANGE_CODES as CODES } from '../../../domain/password-change.ts'
import {
  EMAIL_MISSING_CODE,
  PASSWORD_SECOND_STEP_CODE,
  PASSWORD_STEP_ENDED_CODE,
  type PasswordChangeByEmailProblem,
  SECOND_FACTOR_DUE_CODE,
} from '../../../domain/password-change-by-email.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import { type FormPage, withProof } from './form-page.ts'
import { newPasswordErrors, newPasswordInputs, SIGN_IN_AGAIN } from './new-password.ts'
import { secondStepErrors } from './second-step.ts'

type Name = 'email' | 'old_password' | 'new_password' | 'new_password_check'

/** A user changes the password with the e-mail and the current password (docs/account-pages.md). */
export const passwordPage = (
  {
    changePasswordByEmail,
    completePasswordChange,
  }: Readonly<{
    changePasswordByEmail: ChangePasswordByEmail
    completePasswordChange: CompletePasswordChange | undefined
  }>,
  policy: PasswordPolicy,
): FormPage<Name, PasswordChangeByEmailProblem> => ({
  path: PASSWORD_PAGE,
  heading: 'Change your password',
  intro:
    'The change signs you out everywhere. If you forgot your current password, return to the application and recover your account there.',
  names: ['email', 'old_password', 'new_password', 'new_password_check'],
  inputs: [
    { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' },
    { name: 'old_password', label: 'Current password', type: 'password', autocomplete: 'current-password' },
    ...newPasswordInputs(policy),
  ],
  button: 'Change password',
  errors: {
    SecondFactorDue: {
      code: SECOND_FACTOR_DUE_CODE,
      param: 'old_password',
      message:
        'This account needs a second factor. Sign in to the application and change the password there.',
    },
    EmailMissing: { code: EMAIL_MISSING_CODE, param: 'email', message: 'Enter your e-mail address.' },
    OldPasswordMissing: {
      code: CODES.OldPasswordMissing,
      param: 'old_password',
      message: 'Enter your current password.',
    },
    OldPasswordWrong: {
      code: CODES.OldPasswordWrong,
      param: 'old_password',
      alsoAt: 'email',
      message: 'The e-mail address and the current password do not match.',
    },
    ...newPasswordErrors(policy),
  },
  run: (context, form) =>
    withProof(
      changePasswordByEmail(context, {
        email: form.email,
        oldPassword: form.old_password,
        newPassword: form.new_password,
        newPasswordCheck: form.new_password_check,
      }),
    ),
  secondStep: completePasswordChange && {
    errors: secondStepErrors(PASSWORD_SECOND_STEP_CODE),
    run: (context, { proof, totp, recovery_code: recoveryCode }) =>
      completePasswordChange(context, { proof, totp, recoveryCode }),
    endedCode: PASSWORD_STEP_ENDED_CODE,
  },
  done: { heading: 'Your password was changed', text: SIGN_IN_AGAIN },
})
