import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { fromNullable, isNone, isSome } from 'fp-ts/lib/Option.js'
import type { RegistrationLinkFailure } from '../../../application/accounts/complete-registration.ts'
import type { RegistrationLink } from '../../../application/recording/registration-links.ts'
import type { PageUseCases } from '../../../application/use-cases/pages.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { ApplicationCaller } from '../../../domain/access.ts'
import type { Field } from '../../../domain/field.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import { RECOVERY_CODES } from '../../../domain/recovery.ts'
import { REGISTRATION_MAIL_CODES } from '../../../domain/registration.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { deviceLabel } from './device-label.ts'
import type { FormFailure } from './failures.ts'
import { alertHtml, type FieldError, type Input } from './fields.ts'
import { formHtml } from './forms.ts'
import { HOME } from './home.ts'
import { type Page, pageOf } from './layout.ts'
import { newPasswordErrors, newPasswordInputs } from './new-password.ts'
import { keepLanguage, signedInCookies } from './session-cookies.ts'
import type { Reply, SessionPage } from './session-page.ts'
import { REGISTER, SIGN_IN } from './sign-in.ts'
import { whoInput } from './step-up.ts'
import { emailOf, openingIn, type Site, type Visit } from './visit.ts'

type Name = 'email' | 'token' | 'new_password' | 'new_password_check'
type Form = Readonly<Record<Name, Field>>

export type RegisterUseCases = Pick<RequestUseCases, 'changeOwnAttributes'> &
  Readonly<{ registration: NonNullable<PageUseCases['registration']> }>

type Parts = Readonly<{ browsers: Site['browsers']; useCases: RegisterUseCases; policy: PasswordPolicy }>

/**
 * A person registers: first the e-mail, and, with the link that is mailed to it, the password (docs/account-pages.md). Until then there is no
 * account, and the first page says the same for every e-mail.
 */
export const registerPage = (
  { browsers }: Pick<Site, 'browsers'>,
  useCases: RegisterUseCases,
  policy: PasswordPolicy,
): SessionPage<Name> => {
  const parts = { browsers, useCases, policy }
  return {
    path: REGISTER,
    names: ['email', 'token', 'new_password', 'new_password_check'],
    link: ['token'],
    worksWithoutLink: true,
    show: async (visit) => {
      const caller = await browsers.application()()
      if (isLeft(caller)) return failed(visit, caller.left, emailForm(visit, {}))
      if (visit.linked.token !== undefined) return behindLink(parts, visit, [])
      return {
        page: visit.notice === 'mailed' ? mailedPage(visit) : emailPage(visit, { email: visit.loginHint }),
      }
    },
    send: async (visit, form) => {
      const caller = await browsers.application()()
      if (isLeft(caller)) return failed(visit, caller.left, emailForm(visit, form))
      return form.token === undefined
        ? mail(parts, visit, form, caller.right)
        : complete(parts, visit, form, caller.right)
    },
  }
}

const mail = async (
  { useCases }: Parts,
  visit: Visit,
  { email }: Form,
  caller: ApplicationCaller,
): Promise<Reply> => {
  const returnTo = fromNullable(visit.continued)
  const mailed = await useCases.registration.mail(visit.context, caller, { email, returnTo })()
  if (isRight(mailed)) return { to: visit.href(REGISTER, { notice: 'mailed', continue: visit.continued }) }
  if (mailed.left._tag !== 'Invalid') return failed(visit, mailed.left, emailForm(visit, { email }))
  const known = emailErrors(visit.language.say)
  const errors = mailed.left.problems.map((problem) => known[problem])
  return { page: emailPage(visit, { email }, errors), status: 422 }
}

/**
 * Only a browser that says that the form is ours is signed in: another site could otherwise sign a person in to an account of its own. A session
 * of another account stays.
 */
const complete = async (
  parts: Parts,
  visit: Visit,
  form: Form,
  caller: ApplicationCaller,
): Promise<Reply> => {
  const { browsers, useCases } = parts
  const { cookies } = browsers
  const { secret, context } = openingIn(visit, cookies)
  const { headers } = visit.message
  const signsIn = isNone(visit.visitor) && headers['sec-fetch-site'] === 'same-origin'
  const completed = await useCases.registration.complete(signsIn ? context : visit.context, caller, {
    token: form.token,
    newPassword: form.new_password,
    newPasswordCheck: form.new_password_check,
    label: deviceLabel(headers['user-agent']),
  })()
  if (isLeft(completed)) return notCompleted(parts, visit, completed.left)
  if (isNone(completed.right))
    return isSome(visit.visitor)
      ? { to: visit.href(HOME, { notice: 'other_registered' }) }
      : toSignIn(visit, 'registered')
  const { sessionId } = completed.right.value
  await keepLanguage(parts, useCases.changeOwnAttributes, visit, { sessionId, secret })
  return { to: visit.onward, cookies: signedInCookies(cookies, completed.right.value, secret) }
}

const notCompleted = async (parts: Parts, visit: Visit, failure: RegistrationLinkFailure): Promise<Reply> => {
  if (failure._tag === 'AlreadyRegistered') return toSignIn(visit, 'already_done')
  if (failure._tag === 'Invalid') {
    const known: Readonly<Record<string, FieldError>> = newPasswordErrors(visit.language.say, parts.policy)
    const errors = failure.problems.flatMap((problem) => known[problem] ?? [])
    return behindLink(parts, visit, errors, failure.problems.includes('TokenMissing'))
  }
  const link = await parts.useCases.registration.read(visit.linked.token)()
  const form =
    isRight(link) && isSome(link.right) ? passwordForm(visit, parts.policy, link.right.value, []) : html``
  return failed(visit, failure, form, true)
}

/** The form for the password, or what became of the link. */
const behindLink = async (
  { useCases, policy }: Parts,
  visit: Visit,
  errors: ReadonlyArray<FieldError>,
  isMissing = false,
): Promise<Reply> => {
  const status = visit.message.method === 'POST' ? 422 : 200
  const link = await useCases.registration.read(visit.linked.token)()
  if (isLeft(link))
    return link.left._tag === 'AlreadyRegistered'
      ? toSignIn(visit, 'already_done')
      : failed(visit, link.left, html``)
  return isSome(link.right)
    ? { page: passwordPage(visit, policy, link.right.value, errors), status }
    : {
        page: endedPage(visit, isMissing ? RECOVERY_CODES.TokenMissing : RECOVERY_CODES.TokenInvalid),
        status,
      }
}

const toSignIn = (visit: Visit, notice: 'already_done' | 'registered'): Reply => ({
  to: visit.href(SIGN_IN, { continue: visit.continued, notice }),
})

const failed = (visit: Visit, failure: FormFailure, form: Html, hasPasswords = false): Reply => ({
  failure,
  heading: visit.language.say('register.heading'),
  form,
  hasPasswords,
})

const emailForm = (
  visit: Visit,
  values: Readonly<{ email?: Field }>,
  errors: ReadonlyArray<FieldError> = [],
): Html => {
  const { say } = visit.language
  const email: Input = { name: 'email', label: say('field.email'), type: 'email', autocomplete: 'username' }
  return formHtml(visit, { path: REGISTER, inputs: [email], button: say('register.button') }, values, errors)
}

const emailPage = (
  visit: Visit,
  values: Readonly<{ email?: Field }>,
  errors: ReadonlyArray<FieldError> = [],
): Page => {
  const { say } = visit.language
  return pageOf({
    language: visit.language,
    heading: say('register.heading'),
    errors,
    content: html`${otherHtml(visit)}<p>${say('register.intro')}</p>${emailForm(visit, values, errors)}${signInLink(visit)}`,
  })
}

const mailedPage = (visit: Visit): Page => {
  const { say } = visit.language
  return {
    heading: say('mailbox.heading'),
    content: html`<p>${say('register.mailed.text')}</p>
<p><a href="${visit.href(REGISTER, { continue: visit.continued })}">${say('register.again')}</a></p>
${signInLink(visit)}`,
  }
}

const passwordPage = (
  visit: Visit,
  policy: PasswordPolicy,
  link: RegistrationLink,
  errors: ReadonlyArray<FieldError>,
): Page => {
  const { say } = visit.language
  return pageOf({
    language: visit.language,
    heading: say('register.finish'),
    errors,
    hasPasswords: true,
    content: html`${otherHtml(visit)}<p>${say('register.finish.text')}</p>${passwordForm(visit, policy, link, errors)}`,
  })
}

const passwordForm = (
  visit: Visit,
  policy: PasswordPolicy,
  { email }: RegistrationLink,
  errors: ReadonlyArray<FieldError>,
): Html => {
  const { say } = visit.language
  const inputs = [{ ...whoInput(say), name: 'email' }, ...newPasswordInputs(say, policy)]
  return formHtml(visit, { path: REGISTER, inputs, button: say('register.done') }, { email }, errors)
}

const endedPage = (visit: Visit, code: number): Page => {
  const { say } = visit.language
  return {
    heading: say('register.heading'),
    isError: true,
    content: html`${alertHtml(say('register.ended'), html`<p data-code="${code}">${say('register.ended.text')}</p>`)}<p><a href="${visit.href(REGISTER, { continue: visit.continued })}">${say('register.again')}</a></p>
${signInLink(visit)}`,
  }
}

const signInLink = (visit: Visit): Html =>
  html`<p><a href="${visit.href(SIGN_IN, { continue: visit.continued })}">${visit.language.say('register.sign_in')}</a></p>
`

/** A person may be signed in with another account, and stays so. */
const otherHtml = (visit: Visit): Part => {
  const email = emailOf(visit)
  return (
    email !== undefined &&
    html`<p>${visit.language.say('register.other', { email })}</p>
`
  )
}

const emailErrors = (say: Say) =>
  ({
    EmailMissing: {
      code: REGISTRATION_MAIL_CODES.EmailMissing,
      param: 'email',
      message: say('error.email_missing'),
    },
    EmailMalformed: {
      code: REGISTRATION_MAIL_CODES.EmailMalformed,
      param: 'email',
      message: say('error.email_malformed'),
    },
  }) as const satisfies Readonly<Record<string, FieldError>>
