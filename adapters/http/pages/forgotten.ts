import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import { type Field, isPresent } from '../../../domain/field.ts'
import { isEmail } from '../../../domain/user.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html } from '../operation/html.ts'
import type { FormFailure } from './failures.ts'
import type { FieldError } from './fields.ts'
import { formHtml, noticeHtml } from './forms.ts'
import { pageOf } from './layout.ts'
import type { Reply, SessionPage } from './session-page.ts'
import { emailOf, type Site, type Visit } from './visit.ts'

export const FORGOTTEN = '/account/forgotten'

export type MailLinks = NonNullable<RequestUseCases['mailLinks']>

/** The way to the page. No address is in a link. */
export const forgottenHtml = (visit: Visit): Html =>
  html`<p><a href="${visit.href(FORGOTTEN)}">${visit.language.say('forgotten.link')}</a></p>`

/** Mails a recovery link for the pages. The answer is the same for every address, whether it has an account or not. */
export type MailRecoveryLink = (visit: Visit, email: string, form: Html) => Promise<Reply>

export const mailRecoveryLink =
  ({ browsers }: Pick<Site, 'browsers'>, { recovery }: Pick<MailLinks, 'recovery'>): MailRecoveryLink =>
  async (visit, email, form) => {
    const { say, name: language } = visit.language
    const failed = (failure: FormFailure): Reply => ({
      failure,
      heading: say('forgotten.heading'),
      form,
    })
    const caller = await browsers.application()()
    if (isLeft(caller)) return failed(caller.left)
    const mailed = await recovery(visit.context, caller.right, { email, language, returnTo: undefined })()
    if (isRight(mailed)) {
      const content = html`${noticeHtml(say('forgotten.done'))}<p>${say('mailbox.hint')}</p><p><a href="${visit.href(FORGOTTEN)}">${say('forgotten.again')}</a></p>`
      return { page: { heading: say('mailbox.heading'), content } }
    }
    const { left: failure } = mailed
    return failure._tag === 'Invalid' ? { to: visit.href(FORGOTTEN) } : failed(failure)
  }

/** A person who has forgotten the password asks for a recovery link. */
export const forgottenPage = (
  { browsers }: Pick<Site, 'browsers'>,
  mailLink: MailRecoveryLink,
): SessionPage<'email'> => ({
  path: FORGOTTEN,
  names: ['email'],
  show: async (visit) => {
    const { say } = visit.language
    const caller = await browsers.application()()
    return isLeft(caller)
      ? { failure: caller.left, heading: say('forgotten.heading'), form: html`` }
      : { page: pageWith(visit, emailOf(visit)) }
  },
  send: async (visit, { email }) => {
    const error = errorIn(visit.language.say, email)
    if (error !== undefined) return { page: pageWith(visit, email, [error]), status: 422 }
    return mailLink(visit, email ?? '', formOf(visit, email))
  },
})

/** It depends on no account. */
const errorIn = (say: Say, email: Field): FieldError | undefined => {
  if (!isPresent(email)) return { code: 1, param: 'email', message: say('error.email_missing') }
  return isEmail(email) ? undefined : { code: 2, param: 'email', message: say('error.email_malformed') }
}

const pageWith = (visit: Visit, email: Field, errors: ReadonlyArray<FieldError> = []) => {
  const { say } = visit.language
  return pageOf({
    language: visit.language,
    heading: say('forgotten.heading'),
    errors,
    content: html`<p>${say('forgotten.intro')}</p>${formOf(visit, email, errors)}<p><a href="${visit.href('/account/sign-in')}">${say('forgotten.back')}</a></p>`,
  })
}

const formOf = (visit: Visit, email: Field, errors: ReadonlyArray<FieldError> = []) => {
  const { say } = visit.language
  return formHtml(
    visit,
    {
      path: FORGOTTEN,
      inputs: [{ name: 'email', label: say('field.email'), type: 'email', autocomplete: 'username' }],
      button: say('forgotten.button'),
    },
    { email },
    errors,
  )
}
