import { isNone, isSome, type Option } from 'fp-ts/lib/Option.js'
import type { PageCeremony } from '../../../application/factors/passkey-on-page.ts'
import type { EnrolmentProblem, ShownCodes, Visit } from '../../../application/factors/security-page.ts'
import type { StartedTotpEnrolment } from '../../../application/factors/start-totp-enrolment.ts'
import type { FactorKind } from '../../../domain/factor.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { ENGLISH } from './english.ts'
import { alertHtml, type FieldError } from './fields.ts'
import { type Page, pageOf } from './layout.ts'
import { qrCode } from './qr.ts'
import { secondStepPage as codePage } from './second-step.ts'
import {
  BACK,
  buttonForm,
  ENDED_CODE,
  enrolmentForm,
  factorButtons,
  passkeyOfVisit,
  renamingForm,
  secondStepOf,
  signInForm,
  type Values,
} from './security-forms.ts'

type Errors = ReadonlyArray<FieldError>

const NO_ERRORS: Errors = []

export const HEADING = 'Your second factors'

/** A page with the form of step 1. Its ceremony is new each time. */
export type FirstPage = (ceremony: PageCeremony | undefined) => Page

/** Step 1. */
export const signInPage =
  (values: Values = {}, errors = NO_ERRORS): FirstPage =>
  (ceremony) =>
    pageOf({
      language: ENGLISH,
      heading: HEADING,
      errors,
      hasPasskeyButton: ceremony !== undefined,
      content: html`${errors.length === 0 && html`<p>A second factor protects your account if another person learns your password. Sign in to see and change yours.</p>`}${signInForm(values, errors, ceremony)}`,
    })

/** The visit has ended, or never began: all the same for the visitor, who begins again. */
export const endedPage: FirstPage = (ceremony) => ({
  heading: HEADING,
  isError: true,
  hasPasskeyButton: ceremony !== undefined,
  content: html`${alertHtml(
    'Sign in again',
    html`<p data-code="${ENDED_CODE}">This form changed nothing. Your visit took more than ten minutes, or your password or second factors have changed meanwhile. If you sent the form twice, the first one may have changed them: sign in, look, and get new recovery codes.</p>`,
  )}${signInForm({}, NO_ERRORS, ceremony)}`,
})

/** Step 2. */
export const secondStepPage = (visit: Visit, errors = NO_ERRORS): Page =>
  codePage(secondStepOf(visit.proof), errors, visit.ceremony && passkeyOfVisit(visit, errors))

/** Step 3. `notice` says what was done. */
export const listPage = (
  visit: Visit,
  { notice, errors = NO_ERRORS }: Readonly<{ notice?: string; errors?: Errors }> = {},
): Page => {
  const { factors, proof, ceremony } = visit
  return pageOf({
    language: ENGLISH,
    heading: HEADING,
    errors,
    hasPasskeyButton: ceremony !== undefined,
    content: html`${notice !== undefined && html`<p class="done" role="status">${notice}</p>`}
${factors.length === 0 ? html`<p>You have no second factor. Your password alone protects your account.</p>` : html`<ul class="factors">${factors.map((factor) => factorHtml(factor, proof))}</ul>`}
${recoveryCodesHtml(visit)}${enrolmentHtml(visit)}${passkeyOfVisit(visit, errors)}`,
  })
}

const KINDS: Readonly<Record<FactorKind, string>> = {
  totp: 'Authenticator app',
  passkey: 'Passkey',
  recovery_codes: 'Recovery codes',
}

const factorHtml = (
  { id, kind, name, createdAtSeconds, usedAtSeconds }: Visit['factors'][number],
  proof: string,
): Html => {
  const used = isNone(usedAtSeconds) ? 'not used yet' : html`last used on ${dateHtml(usedAtSeconds.value)}`
  return html`<li>
<h2 id="factor-${id}">${name}</h2>
<p>${KINDS[kind]}, added on ${dateHtml(createdAtSeconds)}, ${used}.</p>
${factorButtons(proof, id, `factor-${id}`)}</li>
`
}

const dateHtml = (seconds: number): Html => {
  const date = new Date(seconds * 1000)
  day ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  return html`<time datetime="${date.toISOString()}">${day.format(date)}</time>`
}

/** Made with the first date, because it takes 10 ms and 8 MB. */
let day: Intl.DateTimeFormat | undefined

const recoveryCodesHtml = ({ factors, recoveryCodesLeft, proof }: Visit): Part =>
  factors.length > 0 &&
  html`<h2>Recovery codes</h2>
<p>${codesLeftText(recoveryCodesLeft)} Each one replaces your other factors once, for example if you lose your phone.</p>
${buttonForm('recovery_codes', proof, 'New recovery codes')}`

const codesLeftText = (left: Option<number>): string => {
  const number = isSome(left) ? left.value : 0
  return number === 1 ? 'You have 1 code left.' : `You have ${number === 0 ? 'no' : number} codes left.`
}

const enrolmentHtml = ({ enrolmentProblem, proof }: Visit): Html =>
  isNone(enrolmentProblem)
    ? buttonForm('add_totp', proof, ADD_TOTP)
    : html`<p>${ENROLMENT_PROBLEMS[enrolmentProblem.value]}</p>`

const ADD_TOTP = 'Add an authenticator app'

const ENROLMENT_PROBLEMS: Readonly<Record<EnrolmentProblem, string>> = {
  EmailNotVerified:
    'To add a second factor, first confirm your e-mail address in the application. Otherwise you could not recover your account.',
  TooManyFactors: 'You have the greatest possible number of second factors. To add another one, remove one.',
  SwitchedOff: 'No second factor can be added at present.',
}

/** The secret of a new app, as a picture and as text. */
export const enrolmentPage = async (
  { proof }: Pick<Visit, 'proof'>,
  { enrolment, secret, uri }: StartedTotpEnrolment,
  { values = {}, errors = NO_ERRORS }: Readonly<{ values?: Values; errors?: Errors }> = {},
): Promise<Page> => {
  const picture = await qrCode(uri, 'QR code for your authenticator app')
  return pageOf({
    language: ENGLISH,
    heading: ADD_TOTP,
    errors,
    content: html`<p>Scan this picture with your authenticator app. Then enter the code that the app shows.</p>
<p>${picture}</p>
<p>Or type this secret into the app: <code id="secret">${inGroups(secret)}</code></p>
<p>Is the app on this device? <a href="${uri}">Open the app</a></p>
${enrolmentForm({ proof, enrolment }, values, errors)}${buttonForm('list', proof, BACK)}`,
  })
}

const inGroups = (secret: string): string => secret.replace(/.{4}(?=.)/g, '$& ')

/** Every change of the factors ends all sessions. */
export const SIGNED_OUT = 'You are signed out everywhere. Sign in to your applications again.'

/** What was done, and the codes that came with it. They are shown once. */
export const codesPage = (done: string, { proof, codes }: ShownCodes): Page => ({
  heading: done,
  content: html`<p class="done" role="status">${SIGNED_OUT}</p>
${isSome(codes) && codesHtml(codes.value)}${buttonForm('list', proof, BACK)}`,
})

const codesHtml = (codes: ReadonlyArray<string>): Html =>
  html`<h2>Your recovery codes</h2>
<p>Print or write them down now, and keep them in a safe place. They are not shown again. Earlier codes no longer work.</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
`

/** A new name for a factor. */
export const renamingPage = (
  { proof }: Pick<Visit, 'proof'>,
  factor: Readonly<{ factorId: string; name: string }>,
  errors = NO_ERRORS,
): Page =>
  pageOf({
    language: ENGLISH,
    heading: 'Rename a second factor',
    errors,
    content: html`${renamingForm({ proof, ...factor }, errors)}${buttonForm('list', proof, BACK)}`,
  })
