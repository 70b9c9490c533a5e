import { isRight } from 'fp-ts/lib/Either.js'
import { isSome, type Option } from 'fp-ts/lib/Option.js'
import type { ListedFactors } from '../../../application/factors/list-factors.ts'
import type { StartedTotpEnrolment } from '../../../application/factors/start-totp-enrolment.ts'
import { validateEnrolmentStart } from '../../../domain/factor-enrolment.ts'
import type { Field } from '../../../domain/field.ts'
import type { RegistrationOptions } from '../../../domain/passkey-options.ts'
import { hasPassword, proofVersion } from '../../../domain/user.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html, type Part } from '../operation/html.ts'
import { CHANGE_EMAIL } from './change-email.ts'
import { backHtml, factorHtml, NAME_INPUT, SECURITY } from './factor-views.ts'
import { alertHtml, type FieldError } from './fields.ts'
import { formHtml, goOnHtml, noticeHtml, passkeyHtml } from './forms.ts'
import { HOME } from './home.ts'
import { identityProblemHtml } from './identity-forms.ts'
import { type Page, pageOf } from './layout.ts'
import { qrCode } from './qr.ts'
import { identitiesHtml, type ListedIdentities } from './security-identities.ts'
import type { SignedInVisit } from './visit.ts'

type Errors = ReadonlyArray<FieldError>

/** A notice of what was done. */
export type NoticeName = (typeof NOTICES)[number]

const NOTICES = [
  'totp_added',
  'passkey_added',
  'factor_renamed',
  'factor_removed',
  'factor_gone',
  'factor_needed',
  'identity_linked',
  'identity_removed',
] as const

const noticeOf = (say: Say, notice: Field): string | undefined => {
  const known = NOTICES.find((one) => one === notice)
  return known && say(`notice.${known}`)
}

/** Returns the errors of problems with fields. Their codes ascend like the inputs of each form. */
export const errorsIn = (say: Say, problems: ReadonlyArray<string>): Errors => {
  const malformedName = { code: 7, param: 'name', message: say('error.factor_name') }
  const ofPasskey = (code: number, message: string) => ({ code, param: 'credential', message })
  const known: Readonly<Record<string, FieldError>> = {
    TotpMissing: { code: 4, param: 'totp', message: say('error.app_code_missing') },
    TotpWrong: { code: 5, param: 'totp', message: say('error.totp_wrong') },
    NameMissing: malformedName,
    NameMalformed: malformedName,
    CredentialMissing: ofPasskey(9, say('error.passkey_missing')),
    CredentialInvalid: ofPasskey(9, say('error.passkey')),
    CredentialTaken: ofPasskey(10, say('error.passkey_taken')),
  }
  return problems.flatMap((problem) => known[problem] ?? []).sort((one, other) => one.code - other.code)
}

/** Without identities, which have a list of their own. */
type Listed = ListedFactors &
  Readonly<{
    identities: ListedIdentities
    /** For the registration of a passkey, where one is possible. */
    creates: RegistrationOptions | undefined
    /** Whether the service lets users enrol factors. */
    canEnrol: boolean
    /** Whether a page mails the link that confirms an e-mail. */
    canConfirm: boolean
    errors: Errors
  }>

/** The factors of a person, and what can be done with them. */
export const listPage = (visit: SignedInVisit, listed: Listed): Page => {
  const { factors, errors } = listed
  const { language, caller } = visit
  const { say } = language
  const passkey = passkeyHtml(
    visit,
    { path: SECURITY, creates: listed.creates, hidden: { step: 'add_passkey' } },
    errors,
  )
  const noneBesides = listed.identities.linked.length > 0 ? 'identity.no_factor' : 'security.nothing'
  const none = say(hasPassword(caller.user) ? 'security.none' : noneBesides)
  return pageOf({
    language,
    heading: say('security.heading'),
    errors,
    hasPasskeyButton: passkey !== undefined,
    content: html`${noticeHtml(noticeOf(say, visit.notice))}${identityProblemHtml(say, visit.notice)}${goOnHtml(visit)}
${factors.length === 0 ? html`<p>${none}</p>` : html`<ul class="factors">${factors.map((factor) => factorHtml(visit, factor))}</ul>`}
${factors.length > 0 && codesHtml(visit, listed.recoveryCodesLeft)}${enrolmentHtml(visit, listed)}${passkey}${identitiesHtml(visit, listed.identities, listed.canConfirm)}
<p><a href="${visit.href(HOME)}">${say('page.back')}</a></p>`,
  })
}

const codesHtml = (visit: SignedInVisit, recoveryCodesLeft: Option<number>): Html => {
  const { say } = visit.language
  const count = isSome(recoveryCodesLeft) ? recoveryCodesLeft.value : 0
  const left = count === 0 ? say('security.codes_none') : say('security.codes_left', { count })
  return html`<h2>${say('security.codes')}</h2>
<p>${left} ${say('security.codes_use')}</p>
${newCodesForm(visit)}`
}

/** A form of an earlier version makes no codes: those that it made before stay good. */
const newCodesForm = (visit: SignedInVisit): Html =>
  formHtml(visit, {
    path: SECURITY,
    hidden: { step: 'recovery_codes', version: proofVersion(visit.caller.user) },
    button: visit.language.say('security.codes_new'),
    isSecond: true,
  })

const PROBLEMS = { EmailNotVerified: 'security.unverified', TooManyFactors: 'security.too_many' } as const

const enrolmentHtml = (visit: SignedInVisit, { factors, canEnrol, canConfirm }: Listed): Html => {
  const { say } = visit.language
  if (!canEnrol) return html`<p>${say('security.off')}</p>`
  const valid = validateEnrolmentStart(visit.caller.user, factors)
  if (isRight(valid)) return addTotpForm(visit)
  const [problem] = valid.left
  return html`<p>${say(PROBLEMS[problem])}</p>${
    problem === 'EmailNotVerified' &&
    canConfirm &&
    html`<p><a href="${visit.href(CHANGE_EMAIL, { continue: visit.continued })}">${say('home.email.unconfirmed')}</a></p>`
  }`
}

const addTotpForm = (visit: SignedInVisit): Html =>
  formHtml(visit, {
    path: SECURITY,
    hidden: { step: 'add_totp' },
    button: visit.language.say('security.add_totp'),
  })

type Values = Readonly<Record<string, Field>>

/** The secret of a new app, as a picture and as text. */
export const enrolmentPage = async (
  visit: SignedInVisit,
  started: StartedTotpEnrolment,
  { values = {}, errors = [] }: Readonly<{ values?: Values; errors?: Errors }> = {},
): Promise<Page> => {
  const { say } = visit.language
  const { secret, uri } = started
  const picture = await qrCode(uri, say('security.picture'))
  return pageOf({
    language: visit.language,
    heading: say('security.add_totp'),
    errors,
    content: html`<p>${say('security.scan')}</p>
<p>${picture}</p>
<p>${say('security.secret')} <code id="secret">${inGroups(secret)}</code></p>
<p>${say('security.here')} <a href="${uri}">${say('security.open')}</a></p>
${enrolmentForm(visit, started, values, errors)}${backHtml(visit)}`,
  })
}

const inGroups = (secret: string): string => secret.replace(/.{4}(?=.)/g, '$& ')

export const enrolmentForm = (
  visit: SignedInVisit,
  { enrolment, factorId }: Pick<StartedTotpEnrolment, 'enrolment' | 'factorId'>,
  values: Values,
  errors: Errors = [],
): Html => {
  const { say } = visit.language
  return formHtml(
    visit,
    {
      path: SECURITY,
      hidden: { step: 'complete_totp', enrolment, factor_id: factorId },
      inputs: [
        {
          name: 'totp',
          label: say('security.code'),
          type: 'text',
          autocomplete: 'one-time-code',
          inputMode: 'numeric',
        },
        {
          ...NAME_INPUT,
          label: say('security.name'),
          hint: say('security.name.hint'),
          isOptional: true,
        },
      ],
      button: say('security.add_this'),
    },
    values,
    errors,
  )
}

/** The enrolment has ended, and added nothing. */
export const endedPage = (visit: SignedInVisit): Page => {
  const { say } = visit.language
  return {
    heading: say('security.add_totp'),
    isError: true,
    content: html`${alertHtml(say('security.again'), html`<p data-code="8">${say('security.ended')}</p>`)}${addTotpForm(visit)}${backHtml(visit)}`,
  }
}

/** What was done, and the codes that came with it. They are shown once. */
export const codesPage = (visit: SignedInVisit, heading: string, codes: ReadonlyArray<string>): Page => {
  const { say } = visit.language
  return {
    heading,
    languages: [], // the page in another language would not have them
    content: html`${noticeHtml(say('security.others_out'))}
<h2>${say('security.codes_yours')}</h2>
<p>${say('security.codes_keep')}</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
${goOnHtml(visit)}${backHtml(visit)}`,
  }
}

/** What a form has done before, with codes that are not shown again. */
export const onlyOncePage = (visit: SignedInVisit, heading: string, why?: Part): Page => {
  const { say } = visit.language
  return {
    heading,
    content: html`<p>${why} ${say('security.codes_once')}</p>
${newCodesForm(visit)}${backHtml(visit)}`,
  }
}
