import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { isSome, none } from 'fp-ts/lib/Option.js'
import type { PageUseCases } from '../../../application/use-cases/pages.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { ApplicationCaller } from '../../../domain/access.ts'
import type { Field } from '../../../domain/field.ts'
import { emailKey } from '../../../domain/user.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { deviceLabel } from './device-label.ts'
import type { FormFailure } from './failures.ts'
import { alertHtml, type FieldError, type Input } from './fields.ts'
import { forgottenHtml } from './forgotten.ts'
import { formHtml, noticeHtml, passkeyHtml } from './forms.ts'
import { IDENTITY_STEP, identityProblem, identityProblemHtml } from './identity-forms.ts'
import { signInButtons, startAtProvider } from './identity-sign-in.ts'
import { pageOf } from './layout.ts'
import { returnHtml } from './mailed-link.ts'
import { keepLanguage, pendingCookies, signedInCookies } from './session-cookies.ts'
import type { Reply, SessionPage } from './session-page.ts'
import { emailOf, openingIn, type Site, type Visit } from './visit.ts'

export const SIGN_IN = '/account/sign-in'
export const REGISTER = '/account/register'

const NAMES = ['email', 'password', 'credential', 'replaces', 'step', 'provider', 'login_hint'] as const
type Name = (typeof NAMES)[number]
type Form = Readonly<Record<Name, Field>>

export type SignInUseCases = Pick<
  RequestUseCases,
  'signIn' | 'passkeys' | 'changeOwnAttributes' | 'mailLinks'
> &
  Pick<PageUseCases, 'findReturnUrl' | 'registration' | 'pageIdentities'> &
  Readonly<{
    /** Returns the name of the client whose request goes on at this path. */
    clientName?: ((path: string) => Promise<string | undefined>) | undefined
  }>

/** A person signs in with a password, with a passkey alone, or at an identity provider (docs/account-pages.md). */
export const signInPage = ({ browsers }: Site, useCases: SignInUseCases): SessionPage<Name> => ({
  path: SIGN_IN,
  names: NAMES,
  show: async (visit) => {
    const isOfAny = OF_ANY_ACCOUNT.some((notice) => notice === visit.notice)
    const isOther =
      visit.notice === OTHER_ACCOUNT ||
      visit.notice === 'choose_account' ||
      identityProblem(visit.notice) !== undefined
    if (isSome(visit.visitor) && !isOfAny && !isOther) return { to: visit.onward }
    const caller = await browsers.application()()
    if (isLeft(caller)) return failed(visit, caller.left)
    const url = isOfAny ? await useCases.findReturnUrl(visit.back)() : right(none)
    if (isLeft(url)) return failed(visit, url.left)
    const before = html`${noticeHtml(noticeOf(visit))}${identityProblemHtml(visit.language.say, visit.notice)}${returnHtml(visit, url.right)}${visit.notice !== OTHER_ACCOUNT && stayHtml(visit)}`
    const values = { email: visit.loginHint, login_hint: visit.loginHint }
    return { page: await formPage(visit, useCases, caller.right, { values, before }) }
  },
  send: async (visit, form) => {
    const caller = await browsers.application()()
    if (isLeft(caller)) return failed(visit, caller.left)
    if (isOfAnother(visit, form)) return askToReplace(visit, useCases, caller.right, form)
    const attempt = { visit, form, caller: caller.right }
    if (form.step === IDENTITY_STEP) {
      const started = await startAtProvider(browsers.cookies, useCases.pageIdentities, attempt)
      return isLeft(started) ? failed(visit, started.left) : started.right
    }
    return form.credential
      ? withPasskey({ browsers }, useCases, attempt)
      : withPassword({ browsers }, useCases, attempt)
  },
})

type Attempt = Readonly<{ visit: Visit; form: Form; caller: ApplicationCaller }>
type Has = Pick<Site, 'browsers'>

/**
 * Whether somebody else is signed in here, and the form does not say that their session is to end. A passkey and a provider name their user
 * only in the end, so they always ask.
 */
const isOfAnother = ({ visitor }: Visit, { email = '', credential, step, replaces }: Form): boolean =>
  isSome(visitor) &&
  replaces !== visitor.value.session.id &&
  (credential || step === IDENTITY_STEP
    ? true
    : email !== '' && emailKey(email) !== emailKey(visitor.value.user.email))

const withPassword = async (
  { browsers }: Has,
  useCases: SignInUseCases,
  { visit, form, caller }: Attempt,
): Promise<Reply> => {
  const { cookies } = browsers
  const { secret, context } = openingIn(visit, cookies)
  const label = deviceLabel(visit.message.headers['user-agent'])
  const { email, password } = form
  const outcome = await useCases.signIn(context, caller, { email, password, label })()
  if (isRight(outcome)) {
    const { sessionId } = outcome.right
    await keepLanguage({ browsers }, useCases.changeOwnAttributes, visit, { sessionId, secret })
    return { to: visit.onward, cookies: signedInCookies(cookies, outcome.right, secret) }
  }
  const failure = outcome.left
  switch (failure._tag) {
    case 'SecondFactorDue':
      return {
        to: visit.href('/account/second-factor'),
        cookies: pendingCookies(cookies, failure.token, visit.next),
      }
    case 'Invalid':
    case 'EmailNotVerified':
    case 'SecondFactorMissing': {
      const problems = failure._tag === 'Invalid' ? failure.problems : [failure._tag]
      const errors = problems.flatMap((problem) => errorsIn(visit.language.say)[problem] ?? [])
      return { page: await formPage(visit, useCases, caller, { values: form, errors }), status: 422 }
    }
    default:
      return failed(visit, failure, form)
  }
}

const withPasskey = async (
  { browsers }: Has,
  useCases: SignInUseCases,
  { visit, form, caller }: Attempt,
): Promise<Reply> => {
  const { cookies } = browsers
  const { secret, context } = openingIn(visit, cookies)
  const label = deviceLabel(visit.message.headers['user-agent'])
  const { credential } = form
  const refused = async (): Promise<Reply> => {
    const message = visit.language.say('error.passkey_sign_in')
    const errors = [{ code: 9, param: 'credential', message }]
    return { page: await formPage(visit, useCases, caller, { errors }), status: 422 }
  }
  if (useCases.passkeys === undefined) return refused()
  const outcome = await useCases.passkeys.completeSignIn(context, caller, { credential, label })()
  if (isRight(outcome)) {
    const { sessionId } = outcome.right
    await keepLanguage({ browsers }, useCases.changeOwnAttributes, visit, { sessionId, secret })
    return { to: visit.onward, cookies: signedInCookies(cookies, outcome.right, secret) }
  }
  const failure = outcome.left
  return failure._tag === 'Invalid' || failure._tag === 'PasskeysOff' ? refused() : failed(visit, failure)
}

const failed = (visit: Visit, failure: FormFailure, form: Partial<Form> = {}): Reply => ({
  failure,
  heading: visit.language.say('sign_in.heading'),
  form: passwordForm(visit, form),
  hasPasswords: true,
})

type Values = Readonly<Partial<Record<Name, Field>>>

const formPage = async (
  visit: Visit,
  { passkeys, mailLinks, registration, clientName, pageIdentities }: SignInUseCases,
  caller: ApplicationCaller,
  {
    values = {},
    errors = [],
    before,
    hidden = {},
  }: Readonly<{
    values?: Values
    errors?: ReadonlyArray<FieldError>
    before?: Part
    hidden?: Readonly<Record<string, string>>
  }>,
) => {
  const { say } = visit.language
  const client = await clientName?.(visit.next)
  const started = await passkeys?.startSignIn(caller)()
  const options = started !== undefined && isRight(started) ? started.right.options : undefined
  const passkey = passkeyHtml(
    visit,
    { path: SIGN_IN, options, isOffered: visit.message.method !== 'POST', hidden },
    errors,
  )
  return pageOf({
    language: visit.language,
    heading: say('sign_in.heading'),
    errors,
    hasPasswords: true,
    hasPasskeyButton: passkey !== undefined,
    content: html`${client !== undefined && html`<p>${say('sign_in.client', { name: client })}</p>`}${before}${passwordForm(visit, values, errors, hidden)}${mailLinks !== undefined && forgottenHtml(visit)}${signInButtons(visit, pageIdentities, hidden, values.login_hint)}${passkey}${registration !== undefined && registerLink(visit)}`,
  })
}

const registerLink = (visit: Visit): Html =>
  html`<p><a href="${visit.href(REGISTER, { continue: visit.continued })}">${visit.language.say('sign_in.register')}</a></p>
`

const passwordForm = (
  visit: Visit,
  values: Values,
  errors: ReadonlyArray<FieldError> = [],
  hidden: Readonly<Record<string, string>> = {},
): Html =>
  formHtml(
    visit,
    {
      path: SIGN_IN,
      inputs: inputsIn(visit.language.say),
      hidden,
      button: visit.language.say('sign_in.button'),
    },
    values,
    errors,
  )

/** The page asks before it ends the session of another account. Nothing was checked, so it tells nothing about the typed one. */
const askToReplace = async (
  visit: Visit,
  useCases: SignInUseCases,
  caller: ApplicationCaller,
  { email, login_hint }: Form,
): Promise<Reply> => {
  if (!isSome(visit.visitor)) return { to: visit.onward }
  const { user, session } = visit.visitor.value
  const { say } = visit.language
  const before = html`${alertHtml(
    say('sign_in.other.title', { email: user.email }),
    html`<p>${say('sign_in.other.text', { email: user.email })}</p>${stayHtml(visit)}`,
  )}`
  const hidden = { replaces: session.id }
  return {
    page: await formPage(visit, useCases, caller, { values: { email, login_hint }, before, hidden }),
    status: 422,
  }
}

const inputsIn = (say: Say) =>
  [
    { name: 'email', label: say('field.email'), type: 'email', autocomplete: 'username webauthn' },
    { name: 'password', label: say('field.password'), type: 'password', autocomplete: 'current-password' },
  ] as const satisfies ReadonlyArray<Input>

const errorsIn = (say: Say): Readonly<Record<string, FieldError>> => ({
  EmailMissing: { code: 1, param: 'email', message: say('error.email_missing') },
  PasswordMissing: { code: 2, param: 'password', message: say('error.password_missing') },
  PasswordDoesNotMatch: { code: 3, param: 'password', alsoAt: 'email', message: say('error.credentials') },
  EmailNotVerified: { code: 10, param: 'email', message: say('error.email_not_verified') },
  SecondFactorMissing: { code: 11, param: 'email', message: say('error.second_factor_missing') },
})

/** Notices about an account that may be another one than that which is signed in here. */
const OF_ANY_ACCOUNT = ['recovered', 'already_done', 'registered'] as const

/** A client asks for another account than that which is signed in here, so there is no way back to its request with this one. */
const OTHER_ACCOUNT = 'other_account'

const NOTICES = [
  'signed_out',
  'no_cookie',
  'expired',
  'removed',
  'choose_account',
  OTHER_ACCOUNT,
  ...OF_ANY_ACCOUNT,
] as const

const noticeOf = ({ language: { say }, notice }: Visit): string | undefined => {
  const known = NOTICES.find((one) => one === notice)
  return known && say(`notice.${known}`)
}

/** The way back for a person who is signed in. */
export const stayHtml = (visit: Visit): Part => {
  const email = emailOf(visit)
  return (
    email !== undefined &&
    html`<p><a href="${visit.onward}">${visit.language.say('sign_in.stay', { email })}</a></p>`
  )
}
