import { isRight } from 'fp-ts/lib/Either.js'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import { PASSWORD_CHANGE_CODES as CODES } from '../../../domain/password-change.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import { hasPassword } from '../../../domain/user.ts'
import type { Say } from '../../texts/texts.ts'
import { html } from '../operation/html.ts'
import type { FieldError } from './fields.ts'
import { forgottenHtml, type MailRecoveryLink } from './forgotten.ts'
import { formHtml } from './forms.ts'
import { HOME } from './home.ts'
import { pageOf } from './layout.ts'
import { newPasswordErrors, newPasswordInputs } from './new-password.ts'
import { type SessionPage, signedInPage } from './session-page.ts'
import { SIGN_IN } from './sign-in.ts'
import { setPasswordForm, whoInput } from './step-up.ts'
import type { SignedInVisit } from './visit.ts'

export const PASSWORD = '/account/password'

type Name = 'step' | 'old_password' | 'new_password' | 'new_password_check'

/** A person who is signed in changes the password. The session of this browser stays alive. */
export const passwordPage = (
  { changePassword }: Pick<RequestUseCases, 'changePassword'>,
  policy: PasswordPolicy,
  mailLink?: MailRecoveryLink,
): SessionPage<Name> =>
  signedInPage({
    path: PASSWORD,
    names: ['step', 'old_password', 'new_password', 'new_password_check'],
    show: async (visit) => ({ page: pageWith(visit, { policy, mailLink }, []) }),
    send: async (visit, form) => {
      if (mailLink !== undefined && form.step === 'mail_link')
        return mailLink(visit, visit.caller.user.email, setPasswordForm(visit))
      if (!hasPassword(visit.caller.user))
        return { page: pageWith(visit, { policy, mailLink }, []), status: 422 }
      const outcome = await changePassword(visit.context, visit.caller, {
        oldPassword: form.old_password,
        newPassword: form.new_password,
        newPasswordCheck: form.new_password_check,
        acceptsRepetition: true,
      })()
      if (isRight(outcome)) return { to: visit.href(HOME, { notice: 'password_changed' }) }
      const failure = outcome.left
      if (failure._tag === 'InvalidToken')
        return { to: visit.href(SIGN_IN, { continue: visit.href(PASSWORD), notice: 'expired' }) }
      if (failure._tag !== 'Invalid')
        return {
          failure,
          heading: visit.language.say('password.heading'),
          form: formOf(visit, policy, []),
          hasPasswords: true,
        }
      const known = errorsIn(visit.language.say, policy)
      const errors = failure.problems
        .flatMap((problem) => known[problem] ?? [])
        .sort((one, other) => one.code - other.code)
      return { page: pageWith(visit, { policy, mailLink }, inOrder(errors)), status: 422 }
    },
  })

const pageWith = (
  visit: SignedInVisit,
  { policy, mailLink }: Readonly<{ policy: PasswordPolicy; mailLink: MailRecoveryLink | undefined }>,
  errors: ReadonlyArray<FieldError>,
) => {
  const { say } = visit.language
  const has = hasPassword(visit.caller.user)
  const others = mailLink !== undefined && (has ? forgottenHtml(visit) : setPasswordForm(visit))
  return pageOf({
    language: visit.language,
    heading: say('password.heading'),
    errors,
    hasPasswords: has,
    content: html`<p>${say(has ? 'password.intro' : 'password.none')}</p>${has && formOf(visit, policy, errors)}${others}<p><a href="${visit.href(HOME)}">${say('page.back')}</a></p>`,
  })
}

const formOf = (visit: SignedInVisit, policy: PasswordPolicy, errors: ReadonlyArray<FieldError>) => {
  const { say } = visit.language
  return formHtml(
    visit,
    {
      path: PASSWORD,
      inputs: [
        whoInput(say),
        {
          name: 'old_password',
          label: say('field.old_password'),
          type: 'password',
          autocomplete: 'current-password',
        },
        ...newPasswordInputs(say, policy),
      ],
      button: say('password.button'),
    },
    { username: visit.caller.user.email },
    errors,
  )
}

const errorsIn = (say: Say, policy: PasswordPolicy): Readonly<Record<string, FieldError>> => ({
  OldPasswordMissing: {
    code: CODES.OldPasswordMissing,
    param: 'old_password',
    message: say('error.password_missing'),
  },
  OldPasswordWrong: {
    code: CODES.OldPasswordWrong,
    param: 'old_password',
    message: say('error.password_wrong'),
  },
  ...newPasswordErrors(say, policy),
})

const ORDER = ['old_password', 'new_password', 'new_password_check']

const inOrder = (errors: ReadonlyArray<FieldError>) =>
  [...errors].sort((one, other) => ORDER.indexOf(one.param) - ORDER.indexOf(other.param))
