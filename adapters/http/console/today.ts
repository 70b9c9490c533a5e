import { isLeft, right } from 'fp-ts/lib/Either.js'
import {
  type Activity,
  type ActivityKind,
  activityIn,
  busiestHour,
  HOUR_MS,
  mayBeGuessing,
} from '../../../application/log/activity.ts'
import { namesIn } from '../../../application/log/names.ts'
import type { EventType } from '../../../domain/event.ts'
import { type Html, html } from '../operation/html.ts'
import { amountsHtml, hourChart } from './chart.ts'
import { factsHtml, hrefTo } from './layout.ts'
import { screen } from './parts.ts'
import { mostRefused, subjectsHtml } from './summaries.ts'
import { dayOf, numberText, shortTime, timeHtml, timeIn } from './times.ts'
import { checksHtml, logAnswer, otherChecksAnswer } from './today-checks.ts'
import { mailsAnswer } from './today-mails.ts'

/** What happens: the last 24 hours, or a day. */
export const today = screen({
  names: ['day'],
  show: async (parts, { day }) => {
    const now = parts.clock()
    const span = spanOf(day, now)
    const until = Math.min(span.until, nextHour(now))
    const before = { since: span.since - DAY_MS, until: until - DAY_MS }
    const activity = await activityIn(parts.log, span)
    if (isLeft(activity)) return activity
    const former = await activityIn(parts.log, before)
    if (isLeft(former)) return former
    const isGuessing = mayBeGuessing(activity.right, former.right)
    const refused = isGuessing ? await mostRefused(parts, span) : right([])
    if (isLeft(refused)) return refused
    const names = await namesIn(parts.store).of(refused.right, ['user'])
    if (isLeft(names)) return names
    const { last, running } = parts.check.state()
    if (last === undefined && running === undefined) parts.check.start()
    const charts = await Promise.all(CHARTS.map((chart) => chartHtml(activity.right, chart)))
    const otherChecks = otherChecksAnswer(parts.check)
    const mails = await mailsAnswer(parts)
    if (isLeft(mails)) return mails
    return right({
      heading: span.day ?? 'The last 24 hours',
      screen: 'today',
      refresh:
        last === undefined
          ? { seconds: REFRESH_SECONDS, href: hrefTo('today', { day: span.day, refreshed: '1' }) }
          : undefined,
      content: html`${periodsHtml(span, now)}
<ul class="answers">
<li>${logAnswer(parts.check, now)}</li>
<li>${guessingAnswer(activity.right, former.right, isGuessing)}${refused.right.length > 0 && html` Most refused lately: ${subjectsHtml(refused.right, names.right)}.`}</li>
${mails.right !== undefined && html`<li>${mails.right}</li>`}${otherChecks !== undefined && html`<li>${otherChecks}</li>`}</ul>
${totalsHtml(activity.right, former.right, span)}
<p class="hint">From ${timeHtml(span.since)}, in UTC, beside the same hours a day earlier. Very many refusals in a minute are counted at its end.</p>
<div class="charts">
${charts}</div>
<h2 id="refusals">Refusals by reason</h2>
${refusalsHtml(activity.right, span)}
${checksHtml(parts.check, now)}`,
    })
  },
})

const DAY_MS = 24 * HOUR_MS

/** Until the first checks have ended. */
const REFRESH_SECONDS = 3

type Span = Readonly<{ since: number; until: number; day: string | undefined }>

const nextHour = (now: number): number => now - (now % HOUR_MS) + HOUR_MS

/** A day, or the last 24 hours: the current one is not complete. */
const spanOf = (day: string | undefined, now: number): Span => {
  const midnight = day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day) ? undefined : timeIn(day)
  if (midnight !== undefined) return { since: midnight, until: midnight + DAY_MS, day }
  const until = nextHour(now)
  return { since: until - DAY_MS, until, day: undefined }
}

const periodsHtml = ({ since, day }: Span, now: number): Html => {
  const of = (at: number) => hrefTo('today', { day: dayOf(at) })
  const current = dayOf(now)
  return html`<p class="pages">${[
    day !== undefined && html`<a href="today">Last 24 hours</a>`,
    day !== current && html`<a href="${of(now)}">Since midnight</a>`,
    day !== dayOf(now - DAY_MS) && html`<a href="${of(now - DAY_MS)}">Yesterday</a>`,
    day !== undefined && day !== current && html`<a href="${of(since - DAY_MS)}">Day before</a>`,
    day !== undefined && day < current && html`<a href="${of(since + DAY_MS)}">Day after</a>`,
  ]}</p>
`
}

type Chart = Readonly<{
  kind: ActivityKind
  title: string
  counted: string
  total: string
  types: ReadonlyArray<EventType>
}>

const CHARTS: ReadonlyArray<Chart> = [
  {
    kind: 'signedIn',
    title: 'Sign-ins, each with a new session, per hour',
    counted: 'Sign-ins',
    total: 'Signed in',
    types: ['UserSignedIn'],
  },
  {
    kind: 'refused',
    title: 'Refused sign-ins and second steps per hour',
    counted: 'Refused',
    total: 'Sign-ins refused',
    types: ['SignInRefused', 'SecondFactorRefused', 'IdentityRefused', 'RefusalsSummarized'],
  },
  {
    kind: 'registered',
    title: 'Registered and imported users per hour',
    counted: 'Users',
    total: 'New users',
    types: ['UserRegistered', 'UserImported'],
  },
  {
    kind: 'tokens',
    title: 'Tokens issued to applications per hour',
    counted: 'Tokens',
    total: 'Application tokens',
    types: ['ApplicationTokenIssued'],
  },
]

/** The list of the events of one kind in a time. */
const eventsHref = (
  types: ReadonlyArray<EventType>,
  { since, until }: Readonly<{ since: number; until: number }>,
): string => hrefTo('events', { type: types.join(' '), since: dateTime(since), until: dateTime(until) })

const dateTime = (at: number): string => `${shortTime(at).slice(0, 16).replace(' ', 'T')}Z`

const totalsHtml = (activity: Activity, former: Activity, span: Span): Html =>
  factsHtml(
    CHARTS.map(
      ({ kind, total, types }) =>
        [
          total,
          html`<a href="${eventsHref(types, span)}">${numberText(activity.totals[kind])}</a>, a day earlier ${numberText(former.totals[kind])}`,
        ] as const,
    ),
  )

const chartHtml = ({ hours }: Activity, { kind, title, counted, types }: Chart): Promise<Html> =>
  hourChart({
    id: `chart-${kind}`,
    title,
    counted,
    hours: hours.map((hour) => ({ at: hour.at, count: hour[kind] })),
    hrefOf: (at) => eventsHref(types, { since: at, until: at + HOUR_MS }),
  })

/** Reasons of all refusals. A list by reason also has the summaries, which count most of an attack. */
const refusalsHtml = ({ refusals }: Activity, { since, until }: Span): Html =>
  refusals.length === 0
    ? html`<p>None.</p>`
    : amountsHtml(
        'Refusals by reason',
        ['Refusal', 'Number'],
        refusals.map(({ type, reason, count }) => ({
          name: html`${type}: <a href="${hrefTo('events', { reason, since: dateTime(since), until: dateTime(until) })}">${reason}</a>`,
          count,
        })),
      )

const guessingAnswer = (activity: Activity, former: Activity, isGuessing: boolean): Html => {
  const most = busiestHour(activity, 'refused')
  const before = busiestHour(former, 'refused')?.refused ?? 0
  const numbers =
    most === undefined
      ? 'no sign-in was refused'
      : `${numberText(activity.totals.refused)} sign-ins were refused, at most ${numberText(most.refused)} in an hour (${shortTime(most.at).slice(0, 16)})`
  const compared = `A day earlier: ${numberText(former.totals.refused)}, at most ${numberText(before)} in an hour`
  return isGuessing
    ? html`<strong class="bad">An attacker may be guessing passwords:</strong> ${numbers}. ${compared}. See <a href="#refusals">the reasons</a>.`
    : html`<strong>No sign of password guessing:</strong> ${numbers}. ${compared}.`
}
