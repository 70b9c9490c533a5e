import * as TE from 'fp-ts/lib/TaskEither.js'
import type { EventQuery, LogEntry, Store } from '../../../application/ports/store.ts'
import { EVENT_TYPES } from '../../../application/recording/events/table.ts'
import type { Actor, EventType } from '../../../domain/event.ts'
import { everyEvent } from '../../testkit/store/every-event.ts'
import { SECOND_FACTOR_REASONS, SIGN_IN_REASONS, TOKEN_REASONS } from '../../testkit/store/refusal-reasons.ts'
import type { Mutation } from './harness.ts'
import type { Mutate } from './mutations.ts'
import { afterCommit, answer, caught, committing, entries, hear } from './stores.ts'

/** Events with empty data. */
const WITHOUT_DATA: ReadonlySet<EventType> = new Set(
  everyEvent()
    .filter(({ event }) => Object.keys(event.data).length === 0)
    .map(({ event }) => event.type),
)

const REASONS = [...new Set([...TOKEN_REASONS, ...SIGN_IN_REASONS, ...SECOND_FACTOR_REASONS])]

const ACTORS: ReadonlyArray<Actor['kind']> = ['application', 'user', 'operator', 'nobody']

/** Alters each entry of one type. */
const entriesOf = <T extends EventType>(
  type: T,
  alter: (entry: Extract<LogEntry, { type: T }>) => object,
): Mutate<Store> =>
  entries((entry) => (entry.type === type ? alter(entry as Extract<LogEntry, { type: T }>) : entry))

/** Loses a field of the data. */
const withoutField = (field: string): Mutate<Store> =>
  entries((entry) => ({
    ...entry,
    data: Object.fromEntries(Object.entries(entry.data).filter(([name]) => name !== field)),
  }))

const asking = (alter: (query: EventQuery) => EventQuery): Mutate<Store> =>
  hear('readEvents', (query) => [alter(query)])

const endless = ({ through, ...query }: EventQuery): EventQuery => query

/** Assigns positions to a refused change, like a database sequence. */
const countsRefusals: Mutate<Store> = (store) => {
  let next = 1
  const positions = new Map<string, number>()
  return {
    commit: (change) => {
      const first = next
      next += change.events.length
      const { commit } = afterCommit(store, ({ events }, isWritten) => {
        if (isWritten) for (const [index, { id }] of events.entries()) positions.set(id, first + index)
      })
      return commit(change)
    },
    ...entriesAt((entry) => positions.get(entry.id) ?? 0)(store),
  }
}

const entriesAt = (position: (entry: LogEntry) => number): Mutate<Store> =>
  entries((entry) => ({ ...entry, position: position(entry) }))

/** Stores whose log has other contents or positions. */
export const LOG_MUTATIONS: ReadonlyArray<Mutation<Mutate<Store>>> = [
  ...EVENT_TYPES.flatMap((type) =>
    caught(`${type} reads back whole`, {
      ...(WITHOUT_DATA.has(type)
        ? {}
        : { [`loses the data of ${type}`]: entriesOf(type, (entry) => ({ ...entry, data: {} })) }),
      [`adds data to ${type}`]: entriesOf(type, (entry) => ({
        ...entry,
        data: { ...entry.data, more: true },
      })),
      [`loses the subject of ${type}`]: entriesOf(type, (entry) => ({
        ...entry,
        subject: { ...entry.subject, id: '' },
      })),
      [`rounds the time of ${type}`]: entriesOf(type, (entry) => ({
        ...entry,
        at: entry.at.replace(/\.\d+Z$/, '.000Z'),
      })),
    }),
  ),
  ...REASONS.flatMap((reason) =>
    caught('a refusal reads back with its reason', {
      [`replaces the reason ${reason}`]: entries((entry) =>
        'reason' in entry.data && entry.data.reason === reason
          ? { ...entry, data: { reason: 'other' } }
          : entry,
      ),
    }),
  ),
  ...caught('the optional fields of an event read back, or are absent', {
    'loses the token of a sign-in': withoutField('token_id'),
  }),
  ...caught('a summary of refusals reads back with all its reasons', {
    'loses a reason that no sign-in has': entriesOf('RefusalsSummarized', (entry) => ({
      ...entry,
      data: {
        ...entry.data,
        reasons: entry.data.reasons.filter(({ reason }) => reason !== 'invalid_fields'),
      },
    })),
  }),
  ...caught('a refusal of an unknown subject is about the service', {
    'makes a user the subject of each refused sign-in': entriesOf('SignInRefused', (entry) => ({
      ...entry,
      subject: { kind: 'user', id: entry.subject.id },
    })),
  }),
  ...caught('the codes of a refused password change read back, none, one or many', {
    'keeps two codes at most': entriesOf('PasswordChangeRefused', (entry) => ({
      ...entry,
      data: { codes: entry.data.codes.slice(0, 2) },
    })),
  }),
  ...ACTORS.flatMap((kind) =>
    caught(`an actor reads back: ${kind}`, {
      [`replaces the actor ${kind}`]: entries((entry) =>
        entry.actor.kind === kind
          ? { ...entry, actor: { kind: kind === 'operator' ? 'nobody' : 'operator' } }
          : entry,
      ),
    }),
  ),
  ...caught('the name of an operator reads back', {
    'loses the name of an operator': entries((entry) =>
      entry.actor.kind === 'operator' ? { ...entry, actor: { kind: 'operator' } } : entry,
    ),
  }),
  ...caught('a request_id reads back', {
    'loses request_id': entries(({ request_id, ...entry }) => entry),
  }),
  ...caught('an entry that came of no request has no request_id at all', {
    'invents a request_id': entries((entry) => ({ ...entry, request_id: entry.request_id ?? '' })),
  }),
  ...caught('what the log says outside ASCII reads back as it was written', {
    'writes the log in ASCII': entries((entry) => JSON.parse(JSON.stringify(entry).replace(/[^ -~]/g, '?'))),
  }),
  ...caught('positions count 1, 2, 3 … over many commits', {
    'skips a position': entriesAt(({ position }) => position + Number(position > 7)),
  }),
  ...caught('the events of one change stand at consecutive positions in their order', {
    'reverses the events of a change': committing((change) => {
      const [first, ...others] = change.events
      return { ...change, events: [first, ...others.reverse()] }
    }),
  }),
  ...caught(
    ['200 commits at once, half of them refused, leave no gap', 'a refused change takes no position'],
    {
      'gives a refused change its positions': countsRefusals,
    },
  ),
  ...caught('entries are read from the one after a position on, ascending', {
    'reads the latest entry first': answer('readEvents', (log) => [...log].reverse()),
  }),
  ...caught('there is nothing after the last position', {
    'starts again after the last position': asking((query) => ({ ...query, after: query.after % 1_000_000 })),
  }),
  ...caught('no more entries are read than asked for', {
    'ignores the limit of entries': asking((query) => ({ ...query, limit: 1_000 })),
  }),
  ...caught('entries are read of one type when one is named', {
    'ignores the type': asking(({ type, ...query }) => query),
  }),
  ...caught('limit counts the entries of the type, after the position', {
    'limits before it looks at the type': (store) => ({
      readEvents: ({ type, ...query }) =>
        TE.map((log: ReadonlyArray<LogEntry>) =>
          log.filter((entry) => type === undefined || entry.type === type),
        )(store.readEvents(query)),
    }),
  }),
  ...caught('no entry after the end of a range is read', {
    'ignores the end of a range': asking(endless),
  }),
  ...caught('entries of one type are read from a range, up to its last position', {
    'ignores the end of a range when a type is named': asking((query) =>
      query.type === undefined ? query : endless(query),
    ),
  }),
  ...caught('a range that ends where it begins is empty, and so is one that ends before', {
    'takes an empty range for one without an end': asking((query) =>
      (query.through ?? query.after + 1) > query.after ? query : endless(query),
    ),
  }),
  ...caught('page after page visits every entry once', {
    'ends a log after three pages': asking((query) => ({
      ...query,
      after: query.after > 11 ? query.after + 100 : query.after,
    })),
  }),
]
