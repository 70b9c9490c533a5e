import type { SessionQuery, Store } from '../../../application/ports/store.ts'
import type { Session } from '../../../domain/session.ts'
import { altered, type Broken, broken } from './broken.ts'
import { spoil } from './records.ts'

const FIELD_BY_FIELD = 'sessions of a user are listed field by field'
const LAST_FIRST = 'the session that expires last comes first, whichever was written first'
const GREATER_FIRST = 'of sessions that expire together the greater id comes first, code point by code point'
const LIMIT = 'no more sessions are listed than asked for'
const UNTIL = 'a session is listed until the second in which it expires'
const OTHERS = 'sessions of others are not listed, however alike their ids are'
const LAST_WRITTEN = 'a session is listed as it was last written'

/** Stores that list other sessions of a user than they should. */
export const BROKEN_SESSIONS: ReadonlyArray<Broken> = [
  ...(
    [
      'id',
      'userId',
      'passwordVersion',
      'createdAtSeconds',
      'expiresAtSeconds',
      'applicationId',
      'signedOut',
      'version',
    ] satisfies Array<keyof Session>
  ).map((field) =>
    broken(`spoils the ${field} of the sessions it lists`, FIELD_BY_FIELD, (store) => ({
      listSessions: (query) =>
        altered(store.listSessions(query), (sessions) => sessions.map(spoil<Session>(field))),
    })),
  ),
  listing('lists the session that expires first first', LAST_FIRST, (one, other) =>
    one.expiresAtSeconds === other.expiresAtSeconds
      ? descending(one, other)
      : one.expiresAtSeconds - other.expiresAtSeconds,
  ),
  listing('lists the newest id first, whatever expires', LAST_FIRST, descending),
  listing('lists the smaller id first', GREATER_FIRST, (one, other) => descending(other, one)),
  listing('compares ids by the units of UTF-16', GREATER_FIRST, (one, other) => (one.id < other.id ? 1 : -1)),
  listing('compares ids as a dictionary does', GREATER_FIRST, (one, other) =>
    other.id.localeCompare(one.id, 'en'),
  ),
  asking('does not mind the limit of sessions', LIMIT, (query) => ({ ...query, limit: 1_000 })),
  asking('takes a limit of 0 for none when it lists sessions', LIMIT, (query) => ({
    ...query,
    limit: query.limit || 1_000,
  })),
  asking('keeps the limit of sessions in 32 bits', LIMIT, (query) => ({ ...query, limit: query.limit | 0 })),
  asking('lists what has expired', UNTIL, (query) => ({ ...query, expiresAfterSeconds: 0 })),
  asking('lists a session for one second more', UNTIL, (query) => ({
    ...query,
    expiresAfterSeconds: query.expiresAfterSeconds - 1,
  })),
  asking('does not list a session in its last second', UNTIL, (query) => ({
    ...query,
    expiresAfterSeconds: query.expiresAfterSeconds + 1,
  })),
  broken('lists what is signed out', ['a session that is signed out is not listed', LAST_WRITTEN], (store) =>
    seeing(
      store,
      (session, query) =>
        session.userId === query.userId && session.passwordVersion === query.passwordVersion,
    ),
  ),
  broken(
    'lists sessions under any password version',
    ['a session under another password version is not listed', LAST_WRITTEN],
    (store) => seeing(store, (session, query) => session.userId === query.userId && !session.signedOut),
  ),
  broken(
    'lists sessions under later password versions',
    'a session under another password version is not listed',
    (store) =>
      seeing(
        store,
        (session, query) =>
          session.userId === query.userId &&
          session.passwordVersion >= query.passwordVersion &&
          !session.signedOut,
      ),
  ),
  ...[
    ['takes an id in any case', (id: string, asked: string) => id.toLowerCase() === asked.toLowerCase()],
    ['takes what an id begins with', (id: string, asked: string) => id.startsWith(asked)],
    ['takes an id for a pattern', (id: string, asked: string) => asPattern(asked).test(id)],
    ['lists the sessions of everybody', () => true],
  ].map(([breaks, isOf]) =>
    broken(String(breaks), OTHERS, (store) =>
      seeing(
        store,
        (session, query) =>
          (isOf as (id: string, asked: string) => boolean)(session.userId, query.userId) &&
          session.passwordVersion === query.passwordVersion &&
          !session.signedOut,
      ),
    ),
  ),
  broken('lists sessions as they were first', LAST_WRITTEN, (store) => {
    const first = new Map<string, Session>()
    return {
      commit: (change) => {
        for (const { table, row } of change.rows)
          if (table === 'sessions' && row.version === 1) first.set(row.id, row)
        return store.commit(change)
      },
      listSessions: (query) =>
        altered(store.listSessions(query), (sessions) => sessions.map((one) => first.get(one.id) ?? one)),
    }
  }),
  broken(
    'lists a session a little later',
    'what is listed once a commit has resolved holds its session',
    (store) => {
      const known = new Set<string>()
      return {
        commit: (change) => async () => {
          const outcome = await store.commit(change)()
          setImmediate(() => {
            for (const { row } of change.rows) known.add(row.id)
          })
          return outcome
        },
        listSessions: (query) =>
          altered(store.listSessions(query), (sessions) => sessions.filter(({ id }) => known.has(id))),
      }
    },
  ),
]

function descending(one: Session, other: Session): number {
  return Buffer.compare(Buffer.from(other.id), Buffer.from(one.id))
}

function asPattern(asked: string): RegExp {
  return new RegExp(`^${asked.replaceAll('%', '.*').replaceAll('_', '.')}$`)
}

/** A store that puts sessions into another order. */
function listing(
  breaks: string,
  caughtBy: string,
  compare: (one: Session, other: Session) => number,
): Broken {
  return broken(breaks, caughtBy, (store) => ({
    listSessions: (query) =>
      altered(store.listSessions({ ...query, limit: 1_000 }), (sessions) =>
        [...sessions].sort(compare).slice(0, query.limit),
      ),
  }))
}

/** A store that hears another query. */
function asking(breaks: string, caughtBy: string, hear: (query: SessionQuery) => SessionQuery): Broken {
  return broken(breaks, caughtBy, (store) => ({ listSessions: (query) => store.listSessions(hear(query)) }))
}

/** A store that lists whatever it sees something of the query in. */
function seeing(store: Store, isListed: (session: Session, query: SessionQuery) => boolean): Partial<Store> {
  return {
    listSessions: (query) =>
      altered(store.listRows({ table: 'sessions', after: '', limit: 1_000 }), (sessions) =>
        sessions
          .filter((one) => isListed(one, query) && one.expiresAtSeconds > query.expiresAfterSeconds)
          .sort((one, other) => other.expiresAtSeconds - one.expiresAtSeconds || descending(one, other))
          .slice(0, query.limit),
      ),
  }
}
