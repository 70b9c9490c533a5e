import { isLeft } from 'fp-ts/lib/Either.js'
import { getOrElse } from 'fp-ts/lib/Option.js'
import type { ListedSession } from '../../../application/sessions/list-sessions.ts'
import type { RequestUseCases } from '../../../application/use-cases/requests.ts'
import { isAccountPages } from '../../../domain/account-pages.ts'
import type { Field } from '../../../domain/field.ts'
import type { Say } from '../../texts/texts.ts'
import { type Html, html } from '../operation/html.ts'
import { hiddenHtml } from './fields.ts'
import { noticeHtml } from './forms.ts'
import { languageName, type Reply, type SessionPage, signedInPage } from './session-page.ts'
import type { SignedInVisit, Site } from './visit.ts'

export const HOME = '/account'

type Links = ReadonlyArray<
  readonly [
    path: string,
    text: 'home.password' | 'home.email' | 'home.security' | 'home.security_identities' | 'home.remove',
  ]
>

type Name = 'step' | 'session_id' | 'language'

export type HomeUseCases = Pick<
  RequestUseCases,
  'listSessions' | 'endSession' | 'endOtherSessions' | 'changeOwnAttributes'
>

/** What a person sees of the own account: the e-mail, its language, where it is signed in, and the way to the other pages. */
export const homePage = (
  { languages: { available } }: Pick<Site, 'languages'>,
  useCases: HomeUseCases,
  links: Links,
): SessionPage<Name> =>
  signedInPage({
    path: HOME,
    names: ['step', 'session_id', 'language'],
    show: async (visit) => {
      const sessions = await useCases.listSessions(visit.caller)()
      return isLeft(sessions)
        ? failed(visit, sessions.left)
        : { page: pageWith(visit, sessions.right, { links, available }) }
    },
    send: async (visit, { step, session_id: sessionId, language = '' }) => {
      const done = (notice: string): Reply => ({ to: visit.href(HOME, { notice }) })
      if (step === 'end_session') {
        const ended = await useCases.endSession(visit.context, visit.caller, { sessionId })()
        // It may have ended meanwhile, for example by the first of two clicks.
        return isLeft(ended) && ended.left._tag !== 'Invalid'
          ? failed(visit, ended.left)
          : done('session_ended')
      }
      if (step === 'language' && available.includes(language)) {
        const changed = await useCases.changeOwnAttributes(visit.context, visit.caller, {
          locale: language,
        })()
        // The account says the language from now on.
        if (!isLeft(changed))
          return { to: visit.href(HOME, { notice: 'language_saved', ui_locales: undefined }) }
        const { left: failure } = changed
        return failure._tag === 'Invalid' || failure._tag === 'InvalidToken'
          ? { to: visit.href(HOME) }
          : failed(visit, failure)
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
  { links, available }: Readonly<{ links: Links; available: ReadonlyArray<string> }>,
) => {
  const { say } = visit.language
  const { email, emailVerified } = visit.caller.user
  const others = sessions.filter(({ isCurrent }) => !isCurrent)
  return {
    heading: say('home.heading'),
    content: html`${noticeHtml(noticeOf(say, visit.notice))}<div class="who">
<strong>${email}</strong>
<p class="hint">${say(emailVerified ? 'home.verified' : 'home.not_verified')}</p>
<form method="post" action="account/sign-out">
${hiddenHtml(visit.hidden())}<button class="second">${say('home.sign_out')}</button>
</form>
</div>
<ul class="links">${links.map(([path, text]) => html`<li><a href="${visit.href(path)}">${say(text === 'home.email' && !emailVerified ? 'home.email.unconfirmed' : text)}</a></li>`)}</ul>
<h2>${say('home.sessions')}</h2>
<ul class="factors">
${[...sessions].sort(currentFirst).map((session) => sessionHtml(visit, session))}</ul>
${others.length > 0 && buttonHtml(visit, { step: 'end_others' }, say('home.end_others'))}
${languageForm(visit, available)}`,
  }
}

const languageForm = (visit: SignedInVisit, available: ReadonlyArray<string>): Html => {
  const { say, name: current } = visit.language
  return html`<form method="post" action="account">
${hiddenHtml({ step: 'language', ...visit.hidden() })}
<h2><label for="language">${say('home.language')}</label></h2>
<div class="row">
<select id="language" name="language">${available.map(
    (name) =>
      html`<option value="${name}" lang="${name}"${name === current && html` selected`}>${languageName(name)}</option>`,
  )}</select>
<button class="second">${say('home.language.button')}</button>
</div>
</form>
`
}

const currentFirst = (one: ListedSession, other: ListedSession): number =>
  Number(other.isCurrent) - Number(one.isCurrent)

const sessionHtml = (
  visit: SignedInVisit,
  { id, label, applicationId, applicationName, createdAtSeconds, isCurrent }: ListedSession,
): Html => {
  const { say, time } = visit.language
  const name = getOrElse(() => say('home.unnamed'))(label)
  const application = isAccountPages(applicationId) ? '' : getOrElse(() => '')(applicationName)
  const since = { time: time(createdAtSeconds) }
  return html`<li>
<h3 id="session-${id}">${name}</h3>
<p>${application === '' ? say('home.since', since) : say('home.session', { application, ...since })}</p>
${
  isCurrent &&
  html`<p class="here">${say('home.this')}</p>
`
}${!isCurrent && buttonHtml(visit, { step: 'end_session', session_id: id }, say('home.end'), `session-${id}`)}</li>
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

const NOTICES = [
  'password_changed',
  'session_ended',
  'others_ended',
  'language_saved',
  'other_registered',
] as const

const noticeOf = (say: Say, notice: Field): string | undefined => {
  const known = NOTICES.find((one) => one === notice)
  return known && say(`notice.${known}`)
}
