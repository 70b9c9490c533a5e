import type { IncomingMessage } from 'node:http'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { isSome, toUndefined } from 'fp-ts/lib/Option.js'
import type { AtProvider } from '../../../application/pages/browser-cookies.ts'
import {
  IDENTITY_PAGES,
  type PageIdentities,
  type PageProvider,
} from '../../../application/pages/page-identities.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { IdentityLinkProblem, IdentityProblem } from '../../../domain/identity.ts'
import { html } from '../operation/html.ts'
import { deviceLabel } from './device-label.ts'
import { SECURITY } from './factor-views.ts'
import type { FormFailure } from './failures.ts'
import { alertHtml } from './fields.ts'
import { HOME } from './home.ts'
import { findAtProvider, leaveProvider } from './identity-cookies.ts'
import type { IdentityNotice } from './identity-forms.ts'
import type { Page } from './layout.ts'
import { SECOND_FACTOR } from './second-factor.ts'
import { keepLanguage, pendingCookies, signedInCookies } from './session-cookies.ts'
import type { Reply, SessionPage } from './session-page.ts'
import { SIGN_IN, stayHtml } from './sign-in.ts'
import { STEP_UP } from './step-up.ts'
import { openingIn, type SignedInVisit, type Site, type Visit } from './visit.ts'

export type IdentityUseCases = Pick<RequestUseCases, 'identities' | 'stepUp' | 'changeOwnAttributes'> &
  Readonly<{ pageIdentities: PageIdentities }>

type Parts = Readonly<{ browsers: Site['browsers']; useCases: IdentityUseCases }>

/**
 * The page of a provider, to which the browser comes with an answer. It shows nothing if all is well, and asks the provider only for an
 * answer that this browser waits for: what its cookie contains says what the answer is for, and where the browser goes on.
 */
export const identityPage = (
  { browsers }: Pick<Site, 'browsers'>,
  useCases: IdentityUseCases,
  { name }: PageProvider,
): SessionPage<never> => {
  const { cookies } = browsers
  const keptIn = (message: IncomingMessage, state: string): AtProvider | undefined =>
    message.method === 'GET' ? toUndefined(findAtProvider(cookies, message, state)) : undefined
  return {
    path: `${IDENTITY_PAGES}/${name}`,
    names: [],
    carried: (message, query) => {
      const kept = keptIn(message, query.get('state') ?? '')
      const chosen = query.get('ui_locales') ?? undefined
      return kept === undefined
        ? { continue: undefined, ui_locales: chosen }
        : { continue: kept.next, ui_locales: kept.language || undefined }
    },
    show: async (visit) => {
      const state = visit.parameter('state') ?? ''
      const kept = keptIn(visit.message, state)
      if (kept === undefined)
        return isSome(visit.visitor) ? { to: visit.href(HOME) } : { page: endedPage(visit) }
      const left = leaveProvider(cookies, state)
      const reply =
        kept.provider === name
          ? await PURPOSES[kept.purpose]({ browsers, useCases }, visit, kept)
          : { page: endedPage(visit) }
      return { ...reply, cookies: [...(reply.cookies ?? []), ...left] }
    },
    send: async (visit) => ({ to: visit.href(SIGN_IN) }),
  }
}

type Complete = (parts: Parts, visit: Visit, kept: AtProvider) => Promise<Reply>

const signIn: Complete = async ({ browsers, useCases }, visit, { transaction, replaces }) => {
  const caller = await browsers.application()()
  if (isLeft(caller)) return failed(visit, caller.left)
  const { cookies } = browsers
  const { secret, context } = openingIn(visit, cookies)
  const visitor = toUndefined(visit.visitor)
  const outcome = await useCases.pageIdentities.completeSignIn(context, caller.right, {
    transaction,
    answer: visit.query(),
    label: deviceLabel(visit.message.headers['user-agent']),
    onlyUserId: visitor?.session.id === replaces ? undefined : visitor?.user.id,
  })()
  if (isRight(outcome)) {
    const { sessionId } = outcome.right
    await keepLanguage({ browsers }, useCases.changeOwnAttributes, visit, { sessionId, secret })
    return { to: visit.onward, cookies: signedInCookies(cookies, outcome.right, secret) }
  }
  const failure = outcome.left
  switch (failure._tag) {
    case 'SecondFactorDue':
      return { to: visit.href(SECOND_FACTOR), cookies: pendingCookies(cookies, failure.token, visit.next) }
    case 'OtherUser':
      return { page: otherPage(visit) }
    case 'Invalid': {
      const [problem] = failure.problems
      return isIdentityProblem(problem)
        ? toSignIn(visit, SIGN_IN_NOTICES[problem])
        : { page: endedPage(visit) }
    }
    case 'IdentityRefused':
      return toSignIn(visit, 'identity_refused')
    case 'SecondFactorMissing':
      return toSignIn(visit, 'identity_factor_missing')
    case 'EmailNotVerified':
      return toSignIn(visit, 'identity_email_not_verified')
    default:
      return failed(visit, failure)
  }
}

/** Links the identity to the user who is signed in: its transaction belongs to that session. */
const link: Complete = async ({ useCases }, visit, { transaction }) => {
  const signedIn = asSignedIn(visit)
  if (signedIn === undefined || useCases.identities === undefined) return expired(visit, SECURITY)
  const request = { transaction, answer: visit.query() }
  const linked = await useCases.identities.completeLink(visit.context, signedIn.caller, request)()
  if (isRight(linked)) return toSecurity(visit, 'identity_linked')
  const failure = linked.left
  switch (failure._tag) {
    case 'InvalidToken':
      return expired(visit, SECURITY)
    case 'Invalid': {
      const [problem] = failure.problems
      return toSecurity(visit, isLinkProblem(problem) ? LINK_NOTICES[problem] : 'identity_refused')
    }
    case 'IdentityRefused':
      return toSecurity(visit, 'identity_refused')
    default:
      return failed(visit, failure)
  }
}

const stepUp: Complete = async ({ useCases }, visit, { transaction }) => {
  const signedIn = asSignedIn(visit)
  if (signedIn === undefined) return expired(visit, STEP_UP)
  const stepped = await useCases.stepUp(visit.context, signedIn.caller, {
    ...NO_PROOF,
    transaction,
    answer: visit.query(),
  })()
  if (isRight(stepped)) return { to: visit.onward }
  const failure = stepped.left
  if (failure._tag === 'InvalidToken') return expired(visit, STEP_UP)
  if (failure._tag !== 'Invalid') return failed(visit, failure)
  // A factor that was added meanwhile is what the page asks for.
  const notice = failure.problems.includes('IdentityNotEnough') ? undefined : 'identity_refused'
  return { to: visit.href(STEP_UP, { continue: visit.continued, notice }) }
}

const NO_PROOF = { password: undefined, totp: undefined, recoveryCode: undefined, credential: undefined }

const PURPOSES: Readonly<Record<AtProvider['purpose'], Complete>> = { sign_in: signIn, link, step_up: stepUp }

const asSignedIn = (visit: Visit): SignedInVisit | undefined => {
  const caller = toUndefined(visit.visitor)
  return caller && { ...visit, caller }
}

const SIGN_IN_NOTICES: Readonly<Record<IdentityProblem, IdentityNotice>> = {
  EmailNotVouchedFor: 'identity_no_email',
  LinkFirst: 'identity_link_first',
  UserDisabled: 'identity_disabled',
  RegistrationOff: 'identity_unknown',
}

const isIdentityProblem = (problem: string): problem is IdentityProblem =>
  Object.hasOwn(SIGN_IN_NOTICES, problem)

const LINK_NOTICES: Readonly<Record<IdentityLinkProblem, IdentityNotice>> = {
  IdentityTaken: 'identity_taken',
  OwnEmailNotVerified: 'identity_unverified',
  TooManyIdentities: 'identity_too_many',
}

const isLinkProblem = (problem: string): problem is IdentityLinkProblem =>
  Object.hasOwn(LINK_NOTICES, problem)

const toSignIn = (visit: Visit, notice: IdentityNotice): Reply => ({
  to: visit.href(SIGN_IN, { continue: visit.continued, notice }),
})

const toSecurity = (visit: Visit, notice: IdentityNotice | 'identity_linked'): Reply => ({
  to: visit.href(SECURITY, { notice, continue: visit.continued }),
})

const expired = (visit: Visit, path: string): Reply => ({
  to: visit.href(SIGN_IN, { continue: visit.href(path, { continue: visit.continued }), notice: 'expired' }),
})

/** The code may be spent, so the only way is back. */
const failed = (visit: Visit, failure: FormFailure): Reply => ({
  failure,
  heading: visit.language.say('sign_in.heading'),
  form: againHtml(visit),
})

const againHtml = (visit: Visit, notice?: string) =>
  html`<p><a href="${visit.href(SIGN_IN, { continue: visit.continued, notice })}">${visit.language.say('identity.again')}</a></p>
`

/** Another browser began it, it took too long, or its answer has come already. */
const endedPage = (visit: Visit): Page => {
  const { say } = visit.language
  return {
    heading: say('sign_in.heading'),
    isError: true,
    content: html`${alertHtml(
      say('identity.ended.title'),
      html`<p data-code="3">${say('identity.ended.text')}</p>`,
    )}${againHtml(visit)}`,
  }
}

/** The person has agreed to end no session of another user. The code is spent, so the sign-in begins again. */
const otherPage = (visit: Visit): Page => {
  const { say } = visit.language
  const email = toUndefined(visit.visitor)?.user.email ?? ''
  return {
    heading: say('sign_in.heading'),
    isError: true,
    content: html`${alertHtml(
      say('sign_in.other.title', { email }),
      html`<p>${say('identity.other.text', { email })}</p>${stayHtml(visit)}`,
    )}${againHtml(visit, 'choose_account')}`,
  }
}
