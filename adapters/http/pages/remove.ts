import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isSome, toUndefined } from 'fp-ts/lib/Option.js'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { AccountRemovalProblem } from '../../../domain/account-removal.ts'
import { type Field, isPresent } from '../../../domain/field.ts'
import { hasPassword } from '../../../domain/user.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html } from '../operation/html.ts'
import { deleteCookie, hasCookie } from './cookies.ts'
import type { FormFailure } from './failures.ts'
import type { FieldError, Input } from './fields.ts'
import { formHtml } from './forms.ts'
import { HOME } from './home.ts'
import { type Page, pageOf } from './layout.ts'
import { signedOutCookies } from './session-cookies.ts'
import { type Reply, type SessionPage, signedInPage } from './session-page.ts'
import { SIGN_IN } from './sign-in.ts'
import { passwordInput, STEP_UP, whoInput } from './step-up.ts'
import type { SignedInVisit, Site, Visit } from './visit.ts'

export const REMOVE = '/account/remove'

type Name = 'password' | 'sure' | 'session_id'
type Form = Readonly<Record<Name, Field>>

/**
 * A person removes the own account. Who has a password repeats it. Others have proved something else in the last minutes.
 *
 * The form names the session of its page. If its account is removed by then, for example by the first of two clicks or in another tab, it was
 * done. If another account is signed in by then, nothing happens to that.
 */
export const removePage = (
  { browsers }: Pick<Site, 'browsers'>,
  { removeOwnAccount }: Pick<RequestUseCases, 'removeOwnAccount'>,
): SessionPage<Name> => {
  const needsProof = ({ caller }: SignedInVisit): boolean =>
    !hasPassword(caller.user) && !browsers.isProvedFresh(caller)

  const remove = async (visit: SignedInVisit, form: Form): Promise<Reply> => {
    const known = errorsIn(visit.language.say)
    if (!isPresent(form.sure)) {
      const errors = [
        ...(hasPassword(visit.caller.user) && !isPresent(form.password) ? [known.PasswordMissing] : []),
        known.NotSure,
      ]
      return { page: pageWith(visit, errors), status: 422 }
    }
    const removed = await removeOwnAccount(visit.context, visit.caller, { password: form.password })()
    if (isRight(removed)) return done(visit)
    const failure = removed.left
    switch (failure._tag) {
      case 'Invalid':
        return {
          page: pageWith(
            visit,
            failure.problems.map((problem) => known[problem]),
          ),
          status: 422,
        }
      case 'InsufficientAuthentication':
        return toStepUp(visit)
      case 'InvalidToken':
        return afterAll(visit, form)
      default:
        return failed(visit, failure, formOf(visit, []))
    }
  }

  /** Another request ended the session, perhaps by removing the account. */
  const afterAll = async (visit: SignedInVisit, form: Form): Promise<Reply> => {
    const owner = await browsers.ownerOf(form.session_id)()
    if (isLeft(owner)) return failed(visit, owner.left, html``)
    return isSome(owner.right) && owner.right.value.status === 'removed'
      ? done(visit)
      : { to: visit.href(SIGN_IN, { continue: visit.href(REMOVE), notice: 'expired' }) }
  }

  const page = signedInPage<Name>({
    path: REMOVE,
    names: ['password', 'sure', 'session_id'],
    show: async (visit) => (needsProof(visit) ? toStepUp(visit) : { page: pageWith(visit, []) }),
    send: remove,
  })
  return {
    ...page,
    send: async (visit, form) => {
      const found = await browsers.ownerOf(form.session_id)()
      if (isLeft(found)) return failed(visit, found.left, html``)
      const owner = toUndefined(found.right)
      const isOfAnother = isSome(visit.visitor) && visit.visitor.value.user.id !== owner?.id
      if (owner?.status === 'removed') return isOfAnother ? { to: visit.href(HOME) } : done(visit)
      return isOfAnother ? { to: visit.href(REMOVE) } : page.send(visit, form)
    },
  }
}

const toStepUp = (visit: SignedInVisit): Reply => ({
  to: visit.href(STEP_UP, { continue: visit.href(REMOVE) }),
})

/** The mark of the device names a user who is gone. */
const done = (visit: Visit): Reply => ({
  to: visit.href(SIGN_IN, { notice: 'removed' }),
  cookies: [...signedOutCookies(), ...(hasCookie(visit.message, 'device') ? [deleteCookie('device')] : [])],
  headers: { 'Clear-Site-Data': '"cache"' },
})

const failed = (visit: Visit, failure: FormFailure, form: Html): Reply => ({
  failure,
  heading: visit.language.say('remove.heading'),
  form,
  hasPasswords: true,
})

const pageWith = (visit: SignedInVisit, errors: ReadonlyArray<FieldError>): Page => {
  const { say } = visit.language
  return pageOf({
    language: visit.language,
    heading: say('remove.heading'),
    errors,
    hasPasswords: hasPassword(visit.caller.user),
    content: html`<p>${say('remove.text')}</p>${formOf(visit, errors)}<p><a href="${visit.href(HOME)}">${say('page.back')}</a></p>`,
  })
}

const formOf = (visit: SignedInVisit, errors: ReadonlyArray<FieldError>): Html => {
  const { say } = visit.language
  const { user, session } = visit.caller
  const sure: Input = { name: 'sure', label: say('remove.sure'), type: 'checkbox', autocomplete: 'off' }
  return formHtml(
    visit,
    {
      path: REMOVE,
      inputs: [whoInput(say), ...(hasPassword(user) ? [passwordInput(say)] : []), sure],
      hidden: { session_id: session.id },
      button: say('remove.button'),
    },
    { username: user.email },
    errors,
  )
}

const errorsIn = (say: Say): Readonly<Record<AccountRemovalProblem | 'NotSure', FieldError>> => ({
  PasswordMissing: { code: 1, param: 'password', message: say('error.password_missing') },
  PasswordWrong: { code: 2, param: 'password', message: say('error.password_wrong') },
  NotSure: { code: 3, param: 'sure', message: say('remove.not_sure') },
})
