import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { isSome, toUndefined } from 'fp-ts/lib/Option.js'
import { USER_CHANGE_NOTES } from '../../../application/accounts/user-change-notes.ts'
import { modelRefusalsOf } from '../../../application/log/entry-facts.ts'
import { entrySentence } from '../../../application/log/entry-sentence.ts'
import { namedIn, namesIn } from '../../../application/log/names.ts'
import type { LogEntry } from '../../../application/ports/store.ts'
import { liveSessionsOf } from '../../../application/sessions/list-sessions.ts'
import { sessionAssurance } from '../../../domain/assurance.ts'
import { type Attribute, attributesOf } from '../../../domain/attributes.ts'
import type { EventType } from '../../../domain/event.ts'
import { type Factor, isIdentity } from '../../../domain/factor.ts'
import type { Session } from '../../../domain/session.ts'
import { hasPassword, type User } from '../../../domain/user.ts'
import { type Html, html } from '../operation/html.ts'
import { newestEntries } from './entries.ts'
import { factsHtml, hrefTo, storedHtml, tableHtml } from './layout.ts'
import { type ScreenFailure, type ScreenParts, screen } from './parts.ts'
import { factorsHtml, identitiesHtml } from './person-factors.ts'
import { summarizedSignIns } from './summaries.ts'
import { shortTime, timeHtml } from './times.ts'

/** One user: whether it can sign in, its sessions and factors, and what happened to it. */
export const person = screen({
  names: ['id', 'done'],
  show: async (parts, { id = '', done }) => {
    const found = await parts.store.findUser(id)()
    if (isLeft(found)) return found
    const user = toUndefined(found.right)
    if (user === undefined)
      return right({
        heading: 'No user has this id',
        screen: 'people',
        status: 404,
        content: html`<p><a href="people">Search</a></p>`,
      })
    const sessions = await liveSessionsOf(parts, user)()
    if (isLeft(sessions)) return sessions
    const factors = await parts.store.listFactors(id)()
    if (isLeft(factors)) return factors
    const entries = await newestEntries(parts, { user: id }, ENTRIES)
    if (isLeft(entries)) return entries
    const turns = await turningPoints(parts, id)
    if (isLeft(turns)) return turns
    const summarized = await summarizedSignIns(parts, id, parts.clock() - SUMMARIES_MS)
    if (isLeft(summarized)) return summarized
    const turning = Object.values(turns.right).filter((entry) => entry !== undefined)
    const named = [
      ...namedIn([...entries.right, ...turning]),
      ...sessions.right.map(({ applicationId }) => ({ kind: 'application' as const, id: applicationId })),
    ]
    const names = await namesIn(parts.store).of(named, ['application'])
    if (isLeft(names)) return names
    const applicationName = (one: string) => names.right('application', one) ?? one
    const { isWritable } = parts
    return right({
      heading: user.status === 'removed' ? 'A removed user' : user.email,
      screen: 'people',
      content: html`${doneHtml(done, entries.right[0])}
${answerHtml(parts, user, { ...turns.right, summarized: summarized.right, nameOf: applicationName })}
${aboutHtml(user)}
${isWritable && actionsHtml(user, factors.right)}
<h2>Sessions</h2>
${sessionsHtml(sessions.right, applicationName)}
<h2>Second factors</h2>
${factorsHtml(factors.right)}
${identitiesHtml(factors.right)}
<h2>What happened</h2>
${historyHtml(entries.right, applicationName)}
<p><a href="${hrefTo('events', { user: id })}">All events of this user</a></p>`,
    })
  },
})

const ENTRIES = 50

/** How far back summaries of refusals are read: waits after failures are shorter. */
const SUMMARIES_MS = 24 * 3_600_000

/** The event of each action. After an action led back here, it says what it has done, while nothing else has happened since. */
const DONE: Readonly<Record<keyof typeof USER_CHANGE_NOTES, EventType>> = {
  disable: 'UserDisabled',
  enable: 'UserEnabled',
  'end-sessions': 'SessionsEnded',
  remove: 'UserRemoved',
  'reset-factors': 'FactorsReset',
}

const isDone = (text: string): text is keyof typeof DONE => Object.hasOwn(DONE, text)

const doneHtml = (done: string | undefined, newest: LogEntry | undefined): Html =>
  done === undefined || !isDone(done) || newest?.type !== DONE[done]
    ? html``
    : html`<p class="notice" role="status">${USER_CHANGE_NOTES[done]}</p>`

/** The newest entries of a user that say whether it can sign in, however long ago they were. */
type TurningPoints = Readonly<Record<keyof typeof TURNS, LogEntry | undefined>>

const TURNS = {
  signedIn: ['UserSignedIn'],
  refused: ['SignInRefused', 'SecondFactorRefused', 'IdentityRefused'],
  blocked: ['UserDisabled', 'UserRemoved'],
} as const satisfies Record<string, ReadonlyArray<EventType>>

const turningPoints = async (
  parts: ScreenParts,
  user: string,
): Promise<Either<ScreenFailure, TurningPoints>> => {
  const newest = (types: ReadonlyArray<EventType>) => newestEntries(parts, { user, types }, 1)
  const [signedIn, refused, blocked] = await Promise.all([
    newest(TURNS.signedIn),
    newest(TURNS.refused),
    newest(TURNS.blocked),
  ])
  if (isLeft(signedIn)) return signedIn
  if (isLeft(refused)) return refused
  if (isLeft(blocked)) return blocked
  return right({ signedIn: signedIn.right[0], refused: refused.right[0], blocked: blocked.right[0] })
}

/** Why this user cannot sign in, as far as rows and log say. */
const answerHtml = (
  { passwordHasher }: ScreenParts,
  user: User,
  {
    signedIn,
    refused,
    blocked,
    summarized,
    nameOf,
  }: TurningPoints &
    Readonly<{
      /** Sign-ins that the log only counts. */
      summarized: Readonly<{ count: number; at: number }> | undefined
      nameOf: (id: string) => string
    }>,
): Html => {
  const isNewest = (refused?.position ?? 0) > (signedIn?.position ?? 0)
  const [refusal] = refused === undefined || !isNewest ? [] : modelRefusalsOf(refused)
  const when = (entry: LogEntry) => shortTime(Date.parse(entry.at))
  const problem =
    user.status === 'enabled'
      ? passwordProblem(passwordHasher, user)
      : blocked === undefined
        ? `The user is ${user.status}.`
        : `The user was ${entrySentence(blocked, nameOf)} at ${when(blocked)}.`
  return html`<ul class="answers">
<li>${
    problem === undefined
      ? html`<strong class="good">This user can sign in</strong> ${hasPassword(user) ? 'with the right password, and a second factor if one is due.' : 'with a passkey, with an identity at another provider, or by the word of an application with users:vouch. The user has no password; a recovery sets one.'}${(refusal !== undefined || summarized !== undefined) && ' After failed attempts the service makes the account wait, which neither rows nor log show.'}`
      : html`<strong class="bad">This user cannot sign in.</strong> ${problem}`
  }</li>
${
  refused !== undefined &&
  refusal !== undefined &&
  html`<li>The last sign-in was <strong>refused</strong> at ${when(refused)}: <code>${refusal.reason}</code>. ${MEANING[refusal.reason] ?? ''}</li>
`
}${
  summarized !== undefined &&
  html`<li>Until ${shortTime(summarized.at)}, ${summarized.count} more sign-ins were <strong>refused</strong>. There were very many, so the log only counts them (RefusalsSummarized).</li>
`
}<li>${
    signedIn === undefined
      ? 'The log has no successful sign-in of this user.'
      : `The last successful sign-in was at ${when(signedIn)}${refusal === undefined && (summarized?.at ?? 0) < Date.parse(signedIn.at) ? ', and none was refused since then' : ''}.`
  }</li>
</ul>
`
}

const passwordProblem = (hasher: ScreenParts['passwordHasher'], user: User): string | undefined =>
  hasPassword(user) && hasher.assess(user.passwordRecord) === 'unreadable'
    ? 'The record of the password cannot be verified: PASSWORD_PEPPER lacks its pepper, or another password hasher made it. See the check “passwords”.'
    : undefined

const MEANING: Readonly<Record<string, string>> = {
  wrong_password: 'The password was wrong.',
  too_many_vouched: 'The application vouched for too many sign-ins within an hour. Later ones pass again.',
  user_disabled: 'The password was right, or an application vouched for the user, and the user is disabled.',
  no_second_factor:
    'The first step succeeded. The application requires a second factor, and the user has none.',
  email_not_verified:
    'The first step succeeded, and the e-mail is not proved. The application requires that, or it named the user by the e-mail.',
  too_many_failures:
    'Too many attempts failed. The service makes the user wait; attempts pass again by themselves.',
  wrong_code: 'The password was right, and the code of the app was wrong.',
  used_code: 'The password was right, and the code of the app had been used already.',
  wrong_recovery_code: 'The password was right, and the recovery code was wrong.',
  access_denied: 'The person said no at the identity provider.',
  provider_error: 'The identity provider refused, or its settings are wrong.',
  link_first: 'An identity with the e-mail of this user must be linked by the signed-in user first.',
  linked_elsewhere: 'The identity is linked to a user already.',
  token_ended: 'The second step came too late, or the password or factors had changed.',
}

const aboutHtml = (user: User): Html =>
  user.status === 'removed'
    ? factsHtml([['Id', html`<code>${user.id}</code>`]])
    : factsHtml([
        ['E-mail', html`${storedHtml(user.email)}, ${user.emailVerified ? 'confirmed' : 'not confirmed'}`],
        ['State', user.status],
        ...attributesFacts(user),
        ['Registered', timeHtml(user.createdAtSeconds * 1000)],
        ['Password', passwordText(user)],
        ['Roles', user.roles.length === 0 ? 'none' : user.roles.join(', ')],
        ['Id', html`<code>${user.id}</code>`],
      ])

const passwordText = (user: User): string => {
  if (!hasPassword(user)) return 'none'
  return user.passwordScheme === ''
    ? 'hashed, the scheme is not recorded'
    : `hashed with ${user.passwordScheme}`
}

/** What the user says about itself. The picture is not fetched, and its address is no link: another server would see the operator. */
const attributesFacts = ({ attributes }: User): ReadonlyArray<readonly [string, Html]> =>
  Object.entries(attributesOf(attributes)).map(([name, value]) => [
    ATTRIBUTE_LABELS[name as Attribute], // `attributesOf` returns no others
    storedHtml(typeof value === 'string' ? value : JSON.stringify(value)),
  ])

const ATTRIBUTE_LABELS: Readonly<Record<Attribute, string>> = {
  name: 'Name',
  given_name: 'Given name',
  family_name: 'Family name',
  picture: 'Picture',
  locale: 'Language',
  zoneinfo: 'Time zone',
  metadata: 'Metadata',
}

const actionsHtml = ({ id, status }: User, factors: ReadonlyArray<Factor>): Html => {
  if (status === 'removed') return html``
  const link = (action: string, text: string) =>
    html`<li><a href="${hrefTo('confirm', { action, id })}">${text}</a></li>`
  return html`<ul class="actions">${[
    status === 'enabled' ? link('disable', 'Disable') : link('enable', 'Enable'),
    link('end-sessions', 'End all sessions'),
    !factors.every(isIdentity) && link('reset-factors', 'Reset second factors'),
    link('remove', 'Remove'),
  ]}</ul>
`
}

const sessionsHtml = (sessions: ReadonlyArray<Session>, nameOf: (id: string) => string): Html =>
  tableHtml({
    label: 'Sessions',
    head: [
      'Application',
      'Device',
      'Signed in',
      'Renewed',
      'Expires',
      'Ends at the latest',
      'Authenticated by',
      'Remembered',
    ],
    rows: sessions.map((session) => [
      storedHtml(nameOf(session.applicationId)),
      isSome(session.label) ? storedHtml(session.label.value) : '',
      timeHtml(session.createdAtSeconds * 1000),
      isSome(session.renewedAtSeconds) ? timeHtml(session.renewedAtSeconds.value * 1000) : 'never',
      timeHtml(session.expiresAtSeconds * 1000),
      timeHtml(session.endsAtSeconds * 1000),
      sessionAssurance(session).amr.join(' '),
      session.remembered ? 'yes' : 'no',
    ]),
    none: 'No live session.',
  })

const historyHtml = (entries: ReadonlyArray<LogEntry>, nameOf: (id: string) => string): Html =>
  tableHtml({
    label: 'What happened',
    head: ['Time', 'What', 'Position'],
    rows: entries.map((entry) => [
      timeHtml(Date.parse(entry.at)),
      storedHtml(entrySentence(entry, nameOf)),
      entry.position,
    ]),
    none: 'The log has no events of this user.',
  })
