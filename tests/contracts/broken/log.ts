import type { EventQuery, LogEntry, Store } from '../../../application/ports/store.ts'
import {
  type Actor,
  type ApplicationTokenRefusal,
  EVENT_TYPES,
  type EventType,
  type SignInRefusal,
} from '../../../domain/event.ts'
import { altered, type Broken, broken } from './broken.ts'

/** They say all there is to say by their type and subject. */
const WITHOUT_DATA: ReadonlySet<EventType> = new Set([
  'ApplicationRevoked',
  'UserDisabled',
  'UserEnabled',
  'UserRemoved',
  'SigningKeyRetired',
])

/** Stores whose log says something else than what happened, or says it elsewhere. */
export const BROKEN_LOGS: ReadonlyArray<Broken> = [
  ...EVENT_TYPES.filter((type) => !WITHOUT_DATA.has(type)).map((type) =>
    reading(`loses the data of ${type}`, `${type} reads back whole`, (entry) =>
      entry.type === type ? ({ ...entry, data: {} } as LogEntry) : entry,
    ),
  ),
  ...EVENT_TYPES.flatMap((type) => [
    reading(`makes data up for ${type}`, `${type} reads back whole`, (entry) =>
      entry.type === type ? ({ ...entry, data: { ...entry.data, more: true } } as LogEntry) : entry,
    ),
    reading(`loses the subject of ${type}`, `${type} reads back whole`, (entry) =>
      entry.type === type ? ({ ...entry, subject: { ...entry.subject, id: '' } } as LogEntry) : entry,
    ),
    reading(`rounds the time of ${type}`, `${type} reads back whole`, (entry) =>
      entry.type === type ? { ...entry, at: entry.at.replace(/\.\d+Z$/, '.000Z') } : entry,
    ),
  ]),
  ...(
    [
      'missing_field',
      'malformed_key',
      'unknown_application',
      'wrong_private_key',
      'previous_key_expired',
      'application_revoked',
      'unknown_email',
      'wrong_password',
      'user_disabled',
    ] satisfies Array<ApplicationTokenRefusal | SignInRefusal>
  ).map((reason) =>
    reading(`knows no ${reason}`, 'a refusal reads back with whatever reason it had', (entry) =>
      'reason' in entry.data && entry.data.reason === reason
        ? ({ ...entry, data: { reason: 'other' } } as unknown as LogEntry)
        : entry,
    ),
  ),
  reading('forgets versions', 'RefusalsSummarized of version 1 reads back whole', (entry) =>
    entry.type === 'RefusalsSummarized' ? ({ ...entry, version: 2 } as LogEntry) : entry,
  ),
  reading(
    'knows the reasons of sign-ins only',
    'a summary of refusals reads back with whatever reasons it had',
    (entry) =>
      entry.type === 'RefusalsSummarized' && entry.version === 2
        ? {
            ...entry,
            data: {
              ...entry.data,
              reasons: entry.data.reasons.filter(({ reason }) => reason !== 'invalid_fields'),
            },
          }
        : entry,
  ),
  reading(
    'gives every refusal its own subject',
    'a refusal that is about nobody known is about the service',
    (entry) =>
      entry.type === 'SignInRefused' ? { ...entry, subject: { kind: 'user', id: entry.subject.id } } : entry,
  ),
  reading(
    'takes two codes at most',
    'the codes of a refused password change read back, none, one or many',
    (entry) =>
      entry.type === 'PasswordChangeRefused'
        ? { ...entry, data: { codes: entry.data.codes.slice(0, 2) } }
        : entry,
  ),
  ...(['application', 'user', 'operator', 'nobody'] satisfies Array<Actor['kind']>).map((kind) =>
    reading(`takes the actor ${kind} for another`, `an actor reads back: ${kind}`, (entry) =>
      entry.actor.kind === kind
        ? { ...entry, actor: { kind: kind === 'operator' ? 'nobody' : 'operator' } }
        : entry,
    ),
  ),
  reading('loses request_id', 'a request_id reads back', ({ request_id, ...entry }) => entry),
  reading(
    'makes an absent request_id up',
    'an entry that came of no request has no request_id at all',
    (entry) => ({ ...entry, request_id: entry.request_id ?? '' }),
  ),
  reading(
    'writes the log in ASCII',
    'what the log says outside ASCII reads back as it was written',
    (entry) => JSON.parse(JSON.stringify(entry).replace(/[^ -~]/g, '?')),
  ),
  reading('counts positions from 0', 'positions count 1, 2, 3 … over many commits', (entry) => ({
    ...entry,
    position: entry.position - 1,
  })),
  reading('skips a position', 'positions count 1, 2, 3 … over many commits', (entry) => ({
    ...entry,
    position: entry.position + Number(entry.position > 7),
  })),
  broken(
    'turns the events of a change round',
    'the events of one change stand at consecutive positions in their order',
    (store) => ({
      commit: (change) => {
        const [first, ...others] = change.events
        return store.commit({ ...change, events: [first, ...others.reverse()] })
      },
    }),
  ),
  broken(
    'gives a refused change its positions all the same',
    ['200 commits at once, half of them refused, leave no gap', 'a refused change takes no position'],
    countingRefusals,
  ),
  querying(
    'reads from the position itself',
    'entries are read from the one after a position on, ascending',
    (query) => ({
      ...query,
      after: query.after - 1,
    }),
  ),
  querying(
    'starts again when there is nothing left',
    'there is nothing after the last position',
    (query) => ({
      ...query,
      after: query.after % 1_000_000,
    }),
  ),
  querying('does not mind the limit', 'no more entries are read than asked for', (query) => ({
    ...query,
    limit: 1_000,
  })),
  querying(
    'does not mind the type',
    'entries are read of one type when one is named',
    ({ type, ...query }) => query,
  ),
  broken(
    'limits before it looks at the type',
    'limit counts the entries of the type, after the position',
    (store) => ({
      readEvents: ({ type, ...query }) =>
        altered(store.readEvents(query), (entries) =>
          entries.filter((entry) => type === undefined || entry.type === type),
        ),
    }),
  ),
  broken(
    'reads the latest first',
    'entries are read from the one after a position on, ascending',
    (store) => ({
      readEvents: (query) => altered(store.readEvents(query), (entries) => [...entries].reverse()),
    }),
  ),
  querying('does not mind the end of a range', 'no entry is read from behind the end of a range', withoutEnd),
  querying(
    'leaves the last position of a range out',
    'no entry is read from behind the end of a range',
    ({ through, ...query }) => ({ ...query, ...(through === undefined ? {} : { through: through - 1 }) }),
  ),
  querying(
    'minds the end of a range only when no type is named',
    'entries of one type are read from a range, up to its last position',
    (query) => (query.type === undefined ? query : withoutEnd(query)),
  ),
  querying(
    'takes a range that ends before it begins for one without an end',
    'a range that ends where it begins is empty, and so is one that ends before',
    (query) => ((query.through ?? query.after + 1) > query.after ? query : withoutEnd(query)),
  ),
  querying('ends a log after three pages', 'page after page visits every entry once', (query) => ({
    ...query,
    after: query.after > 11 ? query.after + 100 : query.after,
  })),
]

/** A store that tells every entry otherwise. */
function reading(breaks: string, caughtBy: string, tell: (entry: LogEntry) => LogEntry): Broken {
  return broken(breaks, caughtBy, (store) => ({
    readEvents: (query) => altered(store.readEvents(query), (entries) => entries.map(tell)),
  }))
}

/** A store that hears another query. */
function querying(breaks: string, caughtBy: string, hear: (query: EventQuery) => EventQuery): Broken {
  return broken(breaks, caughtBy, (store) => ({ readEvents: (query) => store.readEvents(hear(query)) }))
}

function withoutEnd({ through, ...query }: EventQuery): EventQuery {
  return query
}

/** As a sequence does in a database that rolls back: the number is gone. */
function countingRefusals(store: Store): Partial<Store> {
  let next = 1
  const positions = new Map<string, number>()
  return {
    commit: (change) => async () => {
      const taken = change.events.map(({ id }, index) => [id, next + index] as const)
      next += taken.length
      const outcome = await store.commit(change)()
      if (outcome._tag === 'Right') for (const [id, position] of taken) positions.set(id, position)
      return outcome
    },
    readEvents: (query) =>
      altered(store.readEvents(query), (entries) =>
        entries.map((entry) => ({ ...entry, position: positions.get(entry.id) ?? 0 })),
      ),
  }
}
