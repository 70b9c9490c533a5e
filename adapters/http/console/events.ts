import { type Either, isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { toUndefined } from 'fp-ts/lib/Option.js'
import { entrySentence } from '../../../application/log/entry-sentence.ts'
import { findEntries } from '../../../application/log/find-entries.ts'
import { type NameOf, namedIn, namesIn } from '../../../application/log/names.ts'
import type { LogPage } from '../../../application/log/read-log.ts'
import type { EntryFilter } from '../../../application/ports/read-model.ts'
import type { LogEntry, StoreUnavailable } from '../../../application/ports/store.ts'
import { namedApplication } from '../../../application/recording/change-application.ts'
import { namedUserOrRemoved } from '../../../application/recording/change-user.ts'
import { EVENT_TYPES, isEventType } from '../../../application/recording/events/table.ts'
import type { Actor } from '../../../domain/event.ts'
import { type Field, isPresent } from '../../../domain/field.ts'
import { parseLogCursor } from '../../../domain/log-cursor.ts'
import type { RefusalReason } from '../../../domain/refusal-reasons.ts'
import { REFUSAL_REASONS } from '../../../domain/refusal-reasons.ts'
import { asciiEmail } from '../../config/addresses/ascii-domains.ts'
import { type Html, html } from '../operation/html.ts'
import { type FormField, fieldHtml, hrefTo, someoneHtml, storedHtml, tableHtml } from './layout.ts'
import { type ScreenFailure, type ScreenParts, screen } from './parts.ts'
import { subjectsHtml, summarizedSubjects } from './summaries.ts'
import { timeHtml, timeIn } from './times.ts'

const NAMES = ['user', 'application', 'type', 'reason', 'since', 'until', 'before', 'follow'] as const
type Query = Readonly<Record<(typeof NAMES)[number], Field>>

/** The entries of the log that meet the filters of `events list`, newest first. */
export const events = screen({
  names: NAMES,
  show: async (parts, query) => {
    const filter = await filterOf(parts, query)
    if (isLeft(filter)) return filter
    const { conditions, errors } = filter.right
    const isFollowed = query.follow === 'on' && errors.size === 0
    const found = errors.size > 0 ? undefined : await pageOf(parts, conditions, query.before)
    if (found !== undefined && isLeft(found)) return found
    const names =
      found === undefined
        ? undefined
        : await namesIn(parts.store).of(
            [...namedIn(found.right.entries), ...found.right.entries.flatMap(summarizedSubjects)],
            ['user', 'application'],
          )
    if (names !== undefined && isLeft(names)) return names
    const list =
      found === undefined || names === undefined
        ? html``
        : html`${entriesHtml('Events', found.right.entries, names.right)}${pagesHtml(query, found.right)}`
    const now = parts.clock()
    return right({
      heading: 'Events',
      screen: 'events',
      status: errors.size > 0 ? 422 : 200,
      refresh: isFollowed
        ? {
            seconds: REFRESH_SECONDS,
            href: hrefTo('events', { ...query, before: undefined, refreshed: '1' }),
          }
        : undefined,
      content: html`${isFollowed && html`<p class="notice">New events appear every ${REFRESH_SECONDS} seconds, last at ${timeHtml(now)}. <a href="${hrefTo('events', { ...query, follow: undefined })}">Stop following</a> to read details, or to change the conditions.</p>`}
${formHtml(query, errors)}${!isFollowed && errors.size === 0 && !isPresent(query.before) && html`<p class="pages"><a href="${hrefTo('events', { ...query, follow: 'on' })}">Follow new events</a></p>`}
${list}`,
    })
  },
})

const REFRESH_SECONDS = 5
const PER_PAGE = 100

const formHtml = (query: Query, errors: ReadonlyMap<string, string>): Html => {
  const field = (name: keyof Query, label: string, more: Partial<FormField> = {}) =>
    fieldHtml({ name, label, value: query[name] ?? '', error: errors.get(name), ...more })
  const type = query.type ?? ''
  const types = EVENT_TYPES.some((one) => one === type) || type === '' ? EVENT_TYPES : [type, ...EVENT_TYPES]
  return html`<form method="get" action="events">
<div class="filters">
${field('user', 'User', { hint: 'E-mail or id' })}${field('application', 'Application', { hint: 'Name or id' })}${field('type', 'Type', { choices: types })}${field('reason', 'Reason of a refusal', { choices: REFUSAL_REASONS })}${field('since', 'From', { hint: 'UTC, such as 2026-11-22 or 2026-11-22T08:00Z' })}${field('until', 'Before', { hint: 'UTC, not included' })}</div>
<p><button>Show</button></p>
</form>
`
}

type Filter = Readonly<{ conditions: EntryFilter; errors: ReadonlyMap<string, string> }>

/** The conditions of a query, or what is wrong with each field. */
const filterOf = async (
  { store }: Pick<ScreenParts, 'store'>,
  { user, application, type, reason, since, until, before }: Query,
): Promise<Either<StoreUnavailable, Filter>> => {
  const errors = new Map<string, string>()
  const timeOf = (name: string, text: Field): number | undefined => {
    if (!isPresent(text)) return undefined
    const at = timeIn(text)
    if (at === undefined) errors.set(name, 'Give a date or a time, such as 2026-11-22 or 2026-11-22T08:00Z.')
    return at
  }
  const types = isPresent(type) ? type.split(' ') : undefined
  if (types !== undefined && !types.every(isEventType)) errors.set('type', 'There is no such type.')
  if (isPresent(reason) && !isReason(reason)) errors.set('reason', 'There is no such reason.')
  if (isPresent(before) && cursorIn(before) === undefined) errors.set('since', 'The link is not complete.')
  const conditions: EntryFilter = {
    since: timeOf('since', since),
    until: timeOf('until', until),
    types: types?.filter(isEventType),
    reason: isPresent(reason) && isReason(reason) ? reason : undefined,
  }
  const named = isPresent(user) ? await namedUserOrRemoved(store, asciiEmail(user))() : undefined
  if (named !== undefined && isLeft(named)) {
    if (named.left._tag === 'StoreUnavailable') return left(named.left)
    errors.set('user', 'No user has this e-mail or id.')
  }
  const namedApp = isPresent(application) ? await namedApplication(store, application)() : undefined
  if (namedApp !== undefined && isLeft(namedApp)) {
    if (namedApp.left._tag === 'StoreUnavailable') return left(namedApp.left)
    errors.set(
      'application',
      namedApp.left._tag === 'NameAmbiguous'
        ? `Several applications have this name. Give the id: ${namedApp.left.ids.join(', ')}.`
        : 'No application has this name or id.',
    )
  }
  return right({
    conditions: {
      ...conditions,
      ...(named !== undefined && isRight(named) ? { user: named.right.id } : {}),
      ...(namedApp !== undefined && isRight(namedApp) ? { application: namedApp.right.id } : {}),
    },
    errors,
  })
}

const isReason = (text: string): text is RefusalReason => REFUSAL_REASONS.some((one) => one === text)

/** `EPOCH:POSITION`, as the links to older entries have it. */
const cursorIn = (text: string): Readonly<{ epoch: string; position: number }> | undefined => {
  const { epoch, position } = toUndefined(parseLogCursor(text)) ?? {}
  return epoch === undefined || position === undefined ? undefined : { epoch, position }
}

/** The newest entries that meet the conditions, or those before a place. */
const pageOf = async (
  { log }: Pick<ScreenParts, 'log'>,
  filter: EntryFilter,
  before: Field,
): Promise<Either<ScreenFailure, LogPage>> => {
  const bound = isPresent(before) ? cursorIn(before) : undefined
  const after = { epoch: bound?.epoch, position: 0 } // an ended epoch is a failure: positions may name other entries
  const search = { filter, after, isReverse: true, limit: PER_PAGE, below: bound?.position }
  for await (const page of findEntries(log, search)) return page
  return left({ _tag: 'BeyondEnd' })
}

const pagesHtml = (query: Query, { epoch, entries }: LogPage): Html => {
  const oldest = entries.at(-1)
  return html`<p class="pages">${[
    isPresent(query.before) &&
      html`<a href="${hrefTo('events', { ...query, before: undefined })}">Newest</a>`,
    entries.length === PER_PAGE &&
      oldest !== undefined &&
      html`<a href="${hrefTo('events', { ...query, follow: undefined, before: `${epoch}:${oldest.position}` })}">Older</a>`,
  ]}</p>
`
}

/** Renders entries of the log as a table. */
const entriesHtml = (label: string, entries: ReadonlyArray<LogEntry>, nameOf: NameOf): Html =>
  tableHtml({
    label,
    head: ['Time', 'What', 'About', 'By', 'Type', 'Position', 'Details'],
    rows: entries.map((entry) => [
      timeHtml(Date.parse(entry.at)),
      whatHtml(entry, nameOf),
      oneHtml(entry.subject, nameOf),
      oneHtml(entry.actor, nameOf),
      entry.type,
      entry.position,
      detailsHtml(entry),
    ]),
    none: 'No event meets these conditions.',
  })

/** What happened, and for a summary of refusals, to whom. */
const whatHtml = (entry: LogEntry, nameOf: NameOf): Html => {
  const subjects = summarizedSubjects(entry)
  return html`${storedHtml(entrySentence({ ...entry, actor: { kind: 'nobody' } }, (id) => id))}${subjects.length > 0 && html`: ${subjectsHtml(subjects, nameOf)}`}`
}

const detailsHtml = ({ at, request_id: request, id, data }: LogEntry): Html =>
  html`<details><summary>Data</summary><code><bdi>${JSON.stringify({ id, at, ...(request === undefined ? {} : { request_id: request }), data }, null, 1)}</bdi></code></details>`

/** A subject or an actor: with its name, and a link to its page. */
const oneHtml = (one: Actor | LogEntry['subject'], nameOf: NameOf): Html => {
  const id = 'id' in one ? one.id : undefined
  if (id === undefined) return html`${one.kind}`
  return one.kind === 'user' || one.kind === 'application'
    ? someoneHtml(one.kind, id, nameOf(one.kind, id))
    : html`${one.kind} ${storedHtml(id)}`
}
