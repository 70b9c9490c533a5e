import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isNone, isSome } from 'fp-ts/lib/Option.js'
import type { PendingSignIn } from '../../../application/pages/browser-cookies.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { ApplicationCaller } from '../../../domain/access.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html } from '../operation/html.ts'
import { deleteCookie } from './cookies.ts'
import type { FormFailure } from './failures.ts'
import { alertHtml, type FieldError, type Input } from './fields.ts'
import { formHtml, passkeyHtml } from './forms.ts'
import { type Page, pageOf } from './layout.ts'
import { keepLanguage, signedInCookies } from './session-cookies.ts'
import type { Reply, SessionPage } from './session-page.ts'
import { SIGN_IN } from './sign-in.ts'
import { inLanguage, openingIn, type Site, type Visit } from './visit.ts'

export const SECOND_FACTOR = '/account/second-factor'

type Name = 'totp' | 'recovery_code' | 'credential'

export type SecondFactorUseCases = Pick<
  RequestUseCases,
  'completeSignIn' | 'passkeys' | 'changeOwnAttributes'
>

/** A person completes a sign-in with a second factor. The first step is in a cookie of this browser. */
export const secondFactorPage = (
  { browsers, prefix }: Site,
  useCases: SecondFactorUseCases,
): SessionPage<Name> => ({
  path: SECOND_FACTOR,
  names: ['totp', 'recovery_code', 'credential'],
  show: async (visit) => {
    if (isNone(visit.pending)) return notPending(visit)
    const caller = await browsers.application()()
    if (isLeft(caller)) return failed(visit, caller.left)
    return { page: await formPage(visit, useCases, { caller: caller.right, pending: visit.pending.value }) }
  },
  send: async (visit, form) => {
    if (isNone(visit.pending)) return notPending(visit, 'expired')
    const caller = await browsers.application()()
    if (isLeft(caller)) return failed(visit, caller.left, visit.pending.value)
    const { cookies } = browsers
    const { secret, context } = openingIn(visit, cookies)
    const pending = visit.pending.value
    const outcome = await useCases.completeSignIn(context, caller.right, {
      token: pending.token,
      totp: form.totp,
      recoveryCode: form.recovery_code,
      credential: form.credential,
    })()
    if (isRight(outcome)) {
      const { sessionId } = outcome.right
      await keepLanguage({ browsers }, useCases.changeOwnAttributes, visit, { sessionId, secret })
      const to = inLanguage(pending.next, visit.chosenLanguage, prefix)
      return { to, cookies: signedInCookies(cookies, outcome.right, secret) }
    }
    const failure = outcome.left
    if (failure._tag !== 'Invalid') return failed(visit, failure, pending)
    const isCompleted = await browsers.isSignInCompleted(pending)()
    if (isLeft(isCompleted)) return failed(visit, isCompleted.left, pending)
    // The first of two clicks signed in. Its cookie may have come meanwhile; otherwise the next page asks for a sign-in.
    if (isCompleted.right)
      return {
        to: inLanguage(pending.next, visit.chosenLanguage, prefix),
        cookies: [deleteCookie('pending')],
      }
    if (failure.problems.includes('TokenEnded')) return ended(visit, pending)
    const errors = failure.problems.flatMap((problem) => proofErrors(visit.language.say)[problem] ?? [])
    const page = await formPage(visit, useCases, { caller: caller.right, pending, errors })
    return { page, status: 422 }
  },
})

/** A second click finds no cookie of this step, because the first one signed in. Then it goes on where that one went. */
const notPending = (visit: Visit, notice?: string): Reply =>
  isSome(visit.visitor)
    ? { to: visit.onward }
    : { to: visit.href(SIGN_IN, { continue: visit.continued, notice }) }

const failed = (visit: Visit, failure: FormFailure, pending?: PendingSignIn): Reply => ({
  failure,
  heading: visit.language.say('second_factor.heading'),
  form: codeForm(visit, SECOND_FACTOR, [], pending && { continue: pending.next }),
})

/** The sign-in begins again, and leads to the same place. */
const ended = (visit: Visit, { next }: PendingSignIn): Reply => {
  const { say } = visit.language
  const content = alertHtml(
    say('second_factor.again'),
    html`<p data-code="8">${say('second_factor.ended')}</p>
<p><a href="${visit.href(SIGN_IN, { continue: next })}">${say('sign_in.heading')}</a></p>`,
  )
  return {
    page: { heading: say('second_factor.heading'), isError: true, content },
    status: 422,
    cookies: [deleteCookie('pending')],
  }
}

const formPage = async (
  visit: Visit,
  { passkeys }: SecondFactorUseCases,
  {
    caller,
    pending,
    errors = [],
  }: Readonly<{
    caller: ApplicationCaller
    pending: PendingSignIn
    errors?: ReadonlyArray<FieldError>
  }>,
): Promise<Page> => {
  const { say } = visit.language
  const started = await passkeys?.startSecondStep(caller, pending.token)()
  const options = started !== undefined && isRight(started) ? started.right.options : undefined
  const hidden = { continue: pending.next }
  const passkey = passkeyHtml(visit, { path: SECOND_FACTOR, options, hidden }, errors)
  return pageOf({
    language: visit.language,
    heading: say('second_factor.heading'),
    errors,
    hasPasskeyButton: passkey !== undefined,
    content: html`<p>${say('second_factor.intro')}</p>${codeForm(visit, SECOND_FACTOR, errors, hidden)}${passkey}<p><a href="${visit.href(SIGN_IN, { continue: pending.next })}">${say('second_factor.again')}</a></p>`,
  })
}

/** A form for a code of the app or a recovery code. */
export const codeForm = (
  visit: Visit,
  path: string,
  errors: ReadonlyArray<FieldError> = [],
  hidden: Readonly<Record<string, string>> = {},
): Html => {
  const { say } = visit.language
  return formHtml(
    visit,
    { path, inputs: codeInputs(say), hidden, button: say('second_factor.button') },
    {},
    errors,
  )
}

const codeInputs = (say: Say) =>
  [
    {
      name: 'totp',
      label: say('field.totp'),
      type: 'text',
      autocomplete: 'one-time-code',
      inputMode: 'numeric',
      isOptional: true,
    },
    {
      name: 'recovery_code',
      label: say('field.recovery_code'),
      type: 'text',
      autocomplete: 'off',
      hint: say('field.recovery_code.hint'),
      isOptional: true,
    },
  ] as const satisfies ReadonlyArray<Input>

/** The errors of a second factor, on each page with the same codes. */
export const proofErrors = (say: Say): Readonly<Record<string, FieldError>> => ({
  ProofMissing: { code: 4, param: 'totp', message: say('error.code_missing') },
  TotpWrong: { code: 5, param: 'totp', message: say('error.totp_wrong') },
  RecoveryCodeWrong: { code: 6, param: 'recovery_code', message: say('error.recovery_code_wrong') },
  CredentialInvalid: { code: 9, param: 'credential', message: say('error.passkey') },
})
