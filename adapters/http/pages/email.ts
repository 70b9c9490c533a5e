import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { returnUrlOf } from '../../../application/pages/return-link.ts'
import type { PageUseCases } from '../../../application/use-cases/pages.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { Application } from '../../../domain/application.ts'
import { html } from '../operation/html.ts'
import { CHANGE_EMAIL } from './change-email.ts'
import type { FormFailure } from './failures.ts'
import { formHtml, noticeHtml } from './forms.ts'
import { HOME } from './home.ts'
import type { Page } from './layout.ts'
import { otherAccountHtml, returnHtml, type UsableLink, unusablePage } from './mailed-link.ts'
import type { Reply, SessionPage } from './session-page.ts'
import type { Visit } from './visit.ts'

const EMAIL = '/account/email'

const CODES = { missing: 1, invalid: 2 }

type UseCases = Pick<RequestUseCases, 'completeEmailConfirmation' | 'mailLinks'> &
  Pick<PageUseCases, 'readMailedLink'>

/** A person confirms an e-mail with the link of a confirmation mail, on any device. */
export const emailPage = (useCases: UseCases): SessionPage<'token' | 'return_to'> => ({
  path: EMAIL,
  names: ['token', 'return_to'],
  link: ['token', 'return_to'],
  show: async (visit) => {
    const read = await useCases.readMailedLink('email_confirmation', visit.linked.token)()
    if (isLeft(read)) return failed(visit, read.left)
    const link = read.right
    switch (link.state) {
      case 'usable':
        return { page: formPage(visit, link) }
      case 'done':
        return { page: confirmedPage(visit, link.application) }
      case 'unusable':
        return { page: endedPage(visit, useCases) }
    }
  },
  send: async (visit, { token }) => {
    const outcome = await useCases.completeEmailConfirmation(visit.context, { token })()
    if (isRight(outcome)) return { page: confirmedPage(visit, outcome.right) }
    if (outcome.left._tag !== 'Invalid') return failed(visit, outcome.left)
    // A person who clicks twice reads no failure.
    const read = await useCases.readMailedLink('email_confirmation', token)()
    if (isLeft(read)) return failed(visit, read.left)
    return read.right.state === 'done'
      ? { page: confirmedPage(visit, read.right.application) }
      : { page: endedPage(visit, useCases), status: 422 }
  },
})

const failed = (visit: Visit, failure: FormFailure): Reply => ({
  failure,
  heading: visit.language.say('email.heading'),
  form: formOf(visit),
})

const formPage = (visit: Visit, link: UsableLink): Page => {
  const { say } = visit.language
  return {
    heading: say('email.heading'),
    content: html`${otherAccountHtml(visit, link)}<p class="who">${link.email}</p><p>${say('email.intro')}</p>${formOf(visit)}`,
  }
}

const formOf = (visit: Visit) => formHtml(visit, { path: EMAIL, button: visit.language.say('email.button') })

const confirmedPage = (visit: Visit, application: Application): Page => {
  const { say } = visit.language
  return {
    heading: say('email.done'),
    content: html`${noticeHtml(say('email.done.text'))}${returnHtml(visit, returnUrlOf(application, visit.linked.return_to))}${
      isSome(visit.visitor) && html`<p><a href="${visit.href(HOME)}">${say('page.back')}</a></p>`
    }`,
  }
}

const endedPage = (visit: Visit, { mailLinks }: UseCases): Page => {
  const { say } = visit.language
  return unusablePage(visit, {
    heading: say('email.heading'),
    codes: CODES,
    text: say('link.email_ended'),
    way:
      mailLinks === undefined
        ? html`<p>${say('link.start_again')}</p>`
        : html`<p><a href="${visit.href(CHANGE_EMAIL)}">${say('link.another')}</a></p>`,
  })
}
