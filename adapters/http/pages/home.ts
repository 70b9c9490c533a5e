import { isLeft } from 'fp-ts/lib/Either.js'
import { getOrElse } from 'fp-ts/lib/Option.js'
import type { ListedSession } from '../../../application/sessions/list-sessions.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import type { Field } from '../../../domain/field.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html } from '../operation/html.ts'
import { hiddenHtml } from './fields.ts'
import { noticeHtml } from './forms.ts'
import { type Reply, type SessionPage, signedInPage } from './session-page.ts'
import type { SignedInVisit } from './visit.ts'

export const HOME = '/account'

type Name = 'step' | 'session_id'

export type HomeUseCases = Pick<RequestUseCases, 'listSessions' | 'endSession' | 'endOtherSessions'>

/** What a person sees of the own account: the e-mail, where it is signed in, and the way to the other pages. */
export const homePage = (
  useCases: HomeUseCases,
  links: ReadonlyArray<readonly [path: string, text: 'home.password' | 'home.security' | 'home.remove']>,
): SessionPage<Name> =>
  signedInPage({
    path: HOME,
    names: ['step', 'session_id'],
    show: async (visit) => {
      const sessions = await useCases.listSessions(visit.caller)()
      return isLeft(sessions)
        ? failed(visit, sessions.left)
        : { page: pageWith(visit, sessions.right, links) }
    },
    send: async (visit, { step, session_id: sessionId }) => {
      const done = (notice: string): Reply => ({ to: visit.href(HOME, { notice }) })
      if (step === 'end_session') {
        const ended = await useCases.endSession(visit.context, visit.caller, { sessionId })()
        // It may have ended meanwhile, for example by the first of two clicks.
        return isLeft(ended) && ended.left._tag !== 'Invalid'
          ? failed(visit, ended.left)
          : done('session_ended')
      }
      if (step !== 'end_others') return { to: visit.href(HOME) }
      const ended = await useCases.endOtherSessions(visit.context, visit.caller)()
      if (!isLeft(ended)) return done('others_ended')
      return ended.left._tag === 'InvalidToken' ? { to: visit.href(HOME) } : failed(visit, ended.left)
    },
  })

const failed = (visit: SignedInVisit, failure: Extract<Reply, { failure: unknown }>['failure']): Reply => ({
  failure,
  heading: visit.language.say('home.heading'),
  form: html``,
})

const pageWith = (
  visit: SignedInVisit,
  sessions: ReadonlyArray<ListedSession>,
  links: Parameters<typeof homePage>[1],
) => {
  const { say } = visit.language
  const { email, emailVerified } = visit.caller.user
  const others = sessions.filter(({ isCurrent }) => !isCurrent)
  return {
    heading: say('home.heading'),
    content: html`${noticeHtml(noticeOf(say, visit.notice))}<p class="who">${email} <span class="hint">(${say(emailVerified ? 'home.verified' : 'home.not_verified')})</span></p>
<ul class="links">${links.map(([path, text]) => html`<li><a href="${visit.href(path)}">${say(text)}</a></li>`)}</ul>
<h2>${say('home.sessions')}</h2>
<ul class="factors">
${[...sessions].sort(currentFirst).map((session) => sessionHtml(visit, session))}</ul>
${others.length > 0 && buttonHtml(visit, { step: 'end_others' }, say('home.end_others'))}
<form method="post" action="account/sign-out">
${hiddenHtml(visit.hidden())}<button class="second">${say('home.sign_out')}</button>
</form>
`,
  }
}

const currentFirst = (one: ListedSession, other: ListedSession): number =>
  Number(other.isCurrent) - Number(one.isCurrent)

const sessionHtml = (
  visit: SignedInVisit,
  { id, label, applicationName, createdAtSeconds, isCurrent }: ListedSession,
): Html => {
  const { say, time } = visit.language
  const name = getOrElse(() => say('home.unnamed'))(label)
  const application = getOrElse(() => '')(applicationName)
  return html`<li>
<h3 id="session-${id}">${name}</h3>
<p>${say('home.session', { application, time: time(createdAtSeconds) })}${isCurrent && html` <strong>${say('home.this')}</strong>`}</p>
${!isCurrent && buttonHtml(visit, { step: 'end_session', session_id: id }, say('home.end'), `session-${id}`)}</li>
`
}

/** @param describedBy the element that tells a screen reader what the button is about */
const buttonHtml = (
  visit: SignedInVisit,
  hidden: Readonly<Record<string, string>>,
  button: string,
  describedBy?: string,
): Html =>
  html`<form method="post" action="account">
${hiddenHtml({ ...hidden, ...visit.hidden() })}<button class="second"${describedBy !== undefined && html` aria-describedby="${describedBy}"`}>${button}</button>
</form>
`

const NOTICES = ['password_changed', 'session_ended', 'others_ended', 'other_registered'] as const

const noticeOf = (say: Say, notice: Field): string | undefined => {
  const known = NOTICES.find((one) => one === notice)
  return known && say(`notice.${known}`)
}
