import type { CompleteRecovery } from '../../../application/accounts/complete-recovery.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import { RECOVERY_CODES as CODES, type RecoveryProblem } from '../../../domain/recovery.ts'
import { ENGLISH } from './english.ts'
import { done, type FormPage, INCOMPLETE_LINK } from './form-page.ts'
import { newPasswordErrors, newPasswordInputs, SIGN_IN_AGAIN } from './new-password.ts'

type Name = 'token' | 'return_to' | 'new_password' | 'new_password_check'

/** A user sets a new password with the link of a recovery mail (docs/account-pages.md). */
export const recoveryPage = (
  completeRecovery: CompleteRecovery,
  policy: PasswordPolicy,
): FormPage<Name, RecoveryProblem> => ({
  path: '/account/recovery',
  heading: 'Choose a new password',
  intro: 'The new password signs you out everywhere.',
  names: ['token', 'return_to', 'new_password', 'new_password_check'],
  inputs: newPasswordInputs(ENGLISH.say, policy),
  button: 'Set the new password',
  errors: {
    TokenMissing: { code: CODES.TokenMissing, param: 'token', message: INCOMPLETE_LINK },
    TokenInvalid: { code: CODES.TokenInvalid, param: 'token', message: ENDED_LINK },
    ...newPasswordErrors(ENGLISH.say, policy),
  },
  run: (context, form) =>
    done(
      completeRecovery(context, {
        token: form.token,
        newPassword: form.new_password,
        newPasswordCheck: form.new_password_check,
      }),
      form.return_to,
    ),
  done: { heading: 'Your new password is set', text: SIGN_IN_AGAIN },
})

const ENDED_LINK =
  'The link is wrong, was used already or has ended. Return to the application and start a new recovery.'
