import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { type Field, isPresent } from '../../../domain/field.ts'
import { hasPassword } from '../../../domain/user.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html } from '../operation/html.ts'
import type { FormFailure } from './failures.ts'
import type { FieldError, Input } from './fields.ts'
import type { MailLinks } from './forgotten.ts'
import { formHtml, goOnHtml, noticeHtml } from './forms.ts'
import { HOME } from './home.ts'
import { type Page, pageOf } from './layout.ts'
import { type Reply, type SessionPage, signedInPage } from './session-page.ts'
import { passwordInput, STEP_UP, whoInput } from './step-up.ts'
import type { SignedInVisit } from './visit.ts'

export const CHANGE_EMAIL = '/account/change-email'

type Name = 'step' | 'email' | 'password'

/** A person who is signed in asks for a link that confirms another e-mail, or that on record. */
export const changeEmailPage = ({
  email: mailEmail,
  needsProofForEmail,
}: Pick<MailLinks, 'email' | 'needsProofForEmail'>): SessionPage<Name> => {
  const answered = async (visit: SignedInVisit, { email, errors = [] }: Typed): Promise<Reply> => {
    const needsProof = await needsProofForEmail(visit.caller)()
    if (isLeft(needsProof)) return failed(visit, needsProof.left, email)
    const form = needsProof.right ? stepUpHtml(visit) : changeForm(visit, { email, errors })
    return { page: pageWith(visit, form, errors), status: errors.length === 0 ? 200 : 422 }
  }
  return signedInPage({
    path: CHANGE_EMAIL,
    names: ['step', 'email', 'password'],
    show: (visit) => answered(visit, {}),
    send: async (visit, { step, email: typed, password }) => {
      const { name: language } = visit.language
      const email = step === CONFIRM ? undefined : typed
      if (step !== CONFIRM && !isPresent(email)) {
        const problems = ['EmailMissing', ...(isPresent(password) ? [] : ['PasswordMissing'])]
        return answered(visit, { errors: errorsOf(visit, problems) })
      }
      const outcome = await mailEmail(visit.context, visit.caller, {
        email,
        password,
        language,
        returnTo: undefined,
      })()
      if (isRight(outcome)) return { page: mailboxPage(visit, email ?? visit.caller.user.email) }
      const failure = outcome.left
      switch (failure._tag) {
        case 'Invalid':
          return answered(visit, { email, errors: errorsOf(visit, failure.problems) })
        case 'InsufficientAuthentication':
          return { to: stepUpHref(visit) }
        default:
          return failed(visit, failure, email)
      }
    },
  })
}

type Typed = Readonly<{ email?: Field; errors?: ReadonlyArray<FieldError> }>

const CONFIRM = 'confirm'

const stepUpHref = (visit: SignedInVisit): string =>
  visit.href(STEP_UP, {
    continue: visit.href(CHANGE_EMAIL, { notice: visit.notice, continue: visit.continued }),
  })

const failed = (visit: SignedInVisit, failure: FormFailure, email: Field): Reply => ({
  failure,
  heading: visit.language.say('change_email.heading'),
  form: changeForm(visit, { email }),
  hasPasswords: hasPassword(visit.caller.user),
})

const pageWith = (visit: SignedInVisit, form: Html, errors: ReadonlyArray<FieldError>): Page => {
  const { say } = visit.language
  const { user } = visit.caller
  return pageOf({
    language: visit.language,
    heading: say('change_email.heading'),
    errors,
    hasPasswords: hasPassword(user),
    content: html`${visit.notice === 'email_needed' && noticeHtml(say('notice.email_needed'))}${goOnHtml(visit)}${!user.emailVerified && confirmForm(visit)}${form}<p><a href="${visit.href(HOME)}">${say('page.back')}</a></p>`,
  })
}

/** The address on record needs no password: the link goes only there. */
const confirmForm = (visit: SignedInVisit): Html => {
  const { say } = visit.language
  const { email } = visit.caller.user
  return html`<h2>${say('change_email.present')}</h2><p>${say('change_email.unconfirmed', { email })}</p>${formHtml(
    visit,
    { path: CHANGE_EMAIL, hidden: { step: CONFIRM }, button: say('change_email.confirm') },
  )}<h2>${say('change_email.other')}</h2>`
}

const stepUpHtml = (visit: SignedInVisit): Html => {
  const { say } = visit.language
  return html`<p>${say('change_email.step_up')}</p><p><a href="${stepUpHref(visit)}">${say('step_up.heading')}</a></p>`
}

const changeForm = (visit: SignedInVisit, { email, errors = [] }: Typed): Html => {
  const { say } = visit.language
  const { user } = visit.caller
  const form = formHtml(
    visit,
    {
      path: CHANGE_EMAIL,
      inputs: [
        ...(hasPassword(user) ? [{ ...whoInput(say), label: say('field.present_email') }] : []),
        emailInput(say),
        ...(hasPassword(user) ? [passwordInput(say)] : []),
      ],
      button: say('change_email.button'),
    },
    { username: user.email, email },
    errors,
  )
  return html`<p>${say('change_email.intro')}</p>${form}`
}

const emailInput = (say: Say): Input => ({
  name: 'email',
  label: say('field.new_email'),
  type: 'email',
  autocomplete: 'email',
})

/** Its answer names the mailbox: only the person who typed the address, and proved who that is, reads it. */
const mailboxPage = (visit: SignedInVisit, email: string): Page => {
  const { say } = visit.language
  return {
    heading: say('mailbox.heading'),
    content: html`${noticeHtml(say('change_email.done', { email }))}<p>${say('mailbox.hint')}</p>${goOnHtml(visit)}<p><a href="${visit.href(HOME)}">${say('page.back')}</a></p>`,
  }
}

/** The codes of the API (docs/account-life.md §3.4), and one for a form without an e-mail, which the API takes for that on record. */
const errorsIn = (say: Say): Readonly<Record<string, FieldError>> => ({
  PasswordMissing: { code: 1, param: 'password', message: say('error.password_missing') },
  EmailMalformed: { code: 2, param: 'email', message: say('error.email_malformed') },
  EmailTaken: { code: 3, param: 'email', message: say('error.email_taken') },
  PasswordWrong: { code: 4, param: 'password', message: say('error.password_wrong') },
  EmailMissing: { code: 7, param: 'email', message: say('error.new_email_missing') },
})

const ORDER = ['email', 'password']

const errorsOf = ({ language: { say } }: SignedInVisit, problems: ReadonlyArray<string>) =>
  problems
    .flatMap((problem) => errorsIn(say)[problem] ?? [])
    .sort((one, other) => ORDER.indexOf(one.param) - ORDER.indexOf(other.param))
