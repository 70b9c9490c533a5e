import type { CompleteEmailConfirmation } from '../../../application/accounts/complete-email-confirmation.ts'
import type { EmailConfirmationProblem } from '../../../domain/email-confirmation.ts'
import { done, type FormPage, INCOMPLETE_LINK } from './form-page.ts'

/** A user confirms an e-mail with the link of a confirmation mail (docs/account-pages.md). */
export const emailPage = (
  completeEmailConfirmation: CompleteEmailConfirmation,
): FormPage<'token' | 'return_to', EmailConfirmationProblem> => ({
  path: '/account/email',
  heading: 'Confirm your e-mail address',
  intro: 'Confirm only if you asked for it yourself.',
  names: ['token', 'return_to'],
  inputs: [],
  button: 'Confirm',
  errors: {
    TokenMissing: {
      code: 1,
      param: 'token',
      message: INCOMPLETE_LINK,
    },
    TokenInvalid: {
      code: 2,
      param: 'token',
      message:
        'The link is wrong, was used already or has ended, or another account has the address. Return to the application and start again.',
    },
  },
  run: (context, form) => done(completeEmailConfirmation(context, form), form.return_to),
  done: {
    heading: 'Your e-mail address is confirmed',
    text: 'Return to the application. You can close this page.',
  },
})
