import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import type { NameOf } from '../../../application/log/names.ts'
import type { LogEntry } from '../../../application/ports/store.ts'
import type { EventType } from '../../../domain/event.ts'
import type { RefusalType } from '../../../domain/event-row.ts'
import { type Html, html } from '../operation/html.ts'
import { newestEntries } from './entries.ts'
import { someoneHtml } from './layout.ts'
import type { ScreenFailure, ScreenParts } from './parts.ts'

/**
 * Refusals that the log only counts: of very many in a minute, one `RefusalsSummarized` names the busiest subjects (docs/events.md). So
 * these entries are about no user, and say most about an attack.
 */

/** A user or an application, and how often it was refused. */
type RefusedSubject = Readonly<{ kind: 'user' | 'application'; id: string; count: number }>

/** Returns the subjects that an entry names in its data: none but for a summary. */
export const summarizedSubjects = (entry: LogEntry): ReadonlyArray<RefusedSubject> => {
  if (entry.type !== 'RefusalsSummarized') return []
  const kind = OF_APPLICATIONS.has(entry.data.type) ? 'application' : 'user'
  return entry.data.subjects.map(({ id, count }) => ({ kind, id, count }))
}

const OF_APPLICATIONS: ReadonlySet<RefusalType> = new Set(['ApplicationTokenRefused', 'RegistrationRefused'])

/** Renders subjects with their counts, each with a link. */
export const subjectsHtml = (subjects: ReadonlyArray<RefusedSubject>, nameOf: NameOf): Html =>
  html`${subjects.map(
    ({ kind, id, count }, index) =>
      html`${index > 0 && ', '}${someoneHtml(kind, id, nameOf(kind, id))} (${count})`,
  )}`

const SIGN_INS: ReadonlyArray<EventType> = ['SignInRefused', 'SecondFactorRefused', 'IdentityRefused']
const isOfSignIns = (entry: LogEntry): boolean =>
  entry.type !== 'RefusalsSummarized' || SIGN_INS.includes(entry.data.type)

/** Sign-ins of a user that the newest summaries count: how many, and when the last of these summaries was written. */
export const summarizedSignIns = async (
  parts: Pick<ScreenParts, 'log'>,
  user: string,
  since: number,
): Promise<Either<ScreenFailure, Readonly<{ count: number; at: number }> | undefined>> => {
  const newest = await newestEntries(parts, { types: ['RefusalsSummarized'], since }, MOST_SUMMARIES)
  if (isLeft(newest)) return newest
  const counts = newest.right.filter(isOfSignIns).flatMap((entry) =>
    summarizedSubjects(entry)
      .filter(({ id }) => id === user)
      .map(({ count }) => ({ count, at: Date.parse(entry.at) })),
  )
  const [last] = counts
  return right(last && { count: counts.reduce((sum, { count }) => sum + count, 0), at: last.at })
}

/** The users whose sign-ins were refused most, among the newest entries of a time. */
export const mostRefused = async (
  parts: Pick<ScreenParts, 'log'>,
  span: Readonly<{ since: number; until: number }>,
): Promise<Either<ScreenFailure, ReadonlyArray<RefusedSubject>>> => {
  const filter = { ...span, types: [...SIGN_INS, 'RefusalsSummarized' as const] }
  const newest = await newestEntries(parts, filter, MOST_SUMMARIES)
  if (isLeft(newest)) return newest
  const counts = new Map<string, number>()
  const add = (id: string, count: number): void => void counts.set(id, (counts.get(id) ?? 0) + count)
  for (const entry of newest.right.filter(isOfSignIns)) {
    if (entry.subject.kind === 'user') add(entry.subject.id, 1)
    for (const { id, count } of summarizedSubjects(entry)) add(id, count)
  }
  const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, MOST_USERS)
  return right(most.map(([id, count]) => ({ kind: 'user', id, count })))
}

/** Each minute of an attack has one. */
const MOST_SUMMARIES = 200
const MOST_USERS = 3
