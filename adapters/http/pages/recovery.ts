import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { returnUrlOf } from '../../../application/pages/return-link.ts'
import type { PageUseCases } from '../../../application/use-cases/pages.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { Application } from '../../../domain/application.ts'
import type { PasswordPolicy } from '../../../domain/password-policy.ts'
import { RECOVERY_CODES as CODES } from '../../../domain/recovery.ts'
import { type Html, html } from '../operation/html.ts'
import type { FormFailure } from './failures.ts'
import type { FieldError } from './fields.ts'
import { FORGOTTEN } from './forgotten.ts'
import { formHtml } from './forms.ts'
import { type Page, pageOf } from './layout.ts'
import { otherAccountHtml, type UsableLink, unusablePage } from './mailed-link.ts'
import { newPasswordErrors, newPasswordInputs } from './new-password.ts'
import type { Reply, SessionPage } from './session-page.ts'
import { SIGN_IN } from './sign-in.ts'
import { whoInput } from './step-up.ts'
import type { Visit } from './visit.ts'

const RECOVERY = '/account/recovery'

type Name = 'token' | 'return_to' | 'new_password' | 'new_password_check'

type UseCases = Pick<RequestUseCases, 'completeRecovery' | 'mailLinks'> & Pick<PageUseCases, 'readMailedLink'>

/** A person sets a new password with the link of a recovery mail. It signs nobody in. */
export const recoveryPage = (useCases: UseCases, policy: PasswordPolicy): SessionPage<Name> => ({
  path: RECOVERY,
  names: ['token', 'return_to', 'new_password', 'new_password_check'],
  link: ['token', 'return_to'],
  show: async (visit) => {
    const read = await useCases.readMailedLink('recovery', visit.linked.token)()
    if (isLeft(read)) return failed(visit, read.left)
    const link = read.right
    switch (link.state) {
      case 'usable':
        return { page: formPage(visit, policy, { link }) }
      case 'done':
        return toSignIn(visit, 'already_done', link.application)
      case 'unusable':
        return { page: endedPage(visit, useCases) }
    }
  },
  send: async (visit, form) => {
    const read = await useCases.readMailedLink('recovery', form.token)()
    if (isLeft(read)) return failed(visit, read.left)
    const link = read.right
    if (link.state === 'done') return toSignIn(visit, 'already_done', link.application)
    const outcome = await useCases.completeRecovery(visit.context, {
      token: form.token,
      newPassword: form.new_password,
      newPasswordCheck: form.new_password_check,
    })()
    if (isRight(outcome)) return toSignIn(visit, 'recovered', outcome.right)
    const failure = outcome.left
    if (failure._tag !== 'Invalid')
      return failed(visit, failure, link.state === 'usable' ? formOf(visit, policy, { link }) : undefined)
    if (link.state === 'usable' && !failure.problems.includes('TokenInvalid')) {
      const known: Readonly<Record<string, FieldError>> = newPasswordErrors(visit.language.say, policy)
      const errors = failure.problems.flatMap((problem) => known[problem] ?? [])
      return { page: formPage(visit, policy, { link, errors: inOrder(errors) }), status: 422 }
    }
    // The first of two clicks can have used the link meanwhile.
    const now = await useCases.readMailedLink('recovery', form.token)()
    if (isLeft(now)) return failed(visit, now.left)
    return now.right.state === 'done'
      ? toSignIn(visit, 'already_done', now.right.application)
      : { page: endedPage(visit, useCases), status: 422 }
  },
})

type Shown = Readonly<{
  link: UsableLink
  errors?: ReadonlyArray<FieldError>
}>

const toSignIn = (visit: Visit, notice: string, application: Application): Reply => {
  const url = toUndefined(returnUrlOf(application, visit.linked.return_to))
  return {
    to: visit.href(SIGN_IN, {
      notice,
      application_id: url === undefined ? undefined : application.id,
      return_to: url,
    }),
  }
}

const failed = ({ language: { say } }: Visit, failure: FormFailure, form: Html = html``): Reply => ({
  failure,
  heading: say('recovery.heading'),
  form,
  hasPasswords: true,
})

const formPage = (visit: Visit, policy: PasswordPolicy, { link, errors = [] }: Shown): Page => {
  const { say } = visit.language
  return pageOf({
    language: visit.language,
    heading: say('recovery.heading'),
    errors,
    hasPasswords: true,
    content: html`${otherAccountHtml(visit, link)}<p>${say('recovery.intro')}</p>${formOf(visit, policy, { link, errors })}`,
  })
}

const formOf = (visit: Visit, policy: PasswordPolicy, { link, errors = [] }: Shown): Html => {
  const { say } = visit.language
  return formHtml(
    visit,
    {
      path: RECOVERY,
      inputs: [whoInput(say), ...newPasswordInputs(say, policy)],
      button: say('recovery.button'),
    },
    { username: link.email },
    errors,
  )
}

const endedPage = (visit: Visit, { mailLinks }: UseCases): Page => {
  const { say } = visit.language
  return unusablePage(visit, {
    heading: say('recovery.heading'),
    codes: { missing: CODES.TokenMissing, invalid: CODES.TokenInvalid },
    text: say('link.ended'),
    way:
      mailLinks === undefined
        ? html`<p>${say('link.start_again')}</p>`
        : html`<p><a href="${visit.href(FORGOTTEN)}">${say('link.another')}</a></p>`,
  })
}

const ORDER = ['new_password', 'new_password_check']

const inOrder = (errors: ReadonlyArray<FieldError>) =>
  [...errors].sort((one, other) => ORDER.indexOf(one.param) - ORDER.indexOf(other.param))
