import { chain, filter, isNone, isSome, map, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Store } from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import type { Session, SessionFacts } from '../../../domain/session.ts'
import { anApplication } from '../builders.ts'
import { altered, type Broken, broken, turn } from './broken.ts'
import { spoil } from './records.ts'

const FIELD_BY_FIELD = 'a session comes with the application it names, field by field'
const WITHOUT = 'a session comes without an application where it names none that is there'
const AS_NOW = 'a session comes with its application as the application is now'
const NOT_LISTED = 'a session is not listed from when its application is revoked'
const NOT_THERE = 'a session that names an application that is not there is not listed'

/** Stores that know something else of the application that opened a session. */
export const BROKEN_SESSION_APPLICATIONS: ReadonlyArray<Broken> = [
  ...(
    ['id', 'name', 'scope', 'keyId', 'keyDigest', 'previousKey', 'revoked', 'version'] satisfies Array<
      keyof Application
    >
  ).map((field) =>
    broken(`spoils the ${field} of the application of a session`, FIELD_BY_FIELD, (store) =>
      finding(store, (facts) => ({
        ...facts,
        application: map(spoil<Application>(field))(facts.application),
      })),
    ),
  ),
  broken('makes an application up for a session', WITHOUT, (store) =>
    finding(store, ({ application, ...facts }) => ({
      ...facts,
      application: isSome(application) ? application : some(anApplication()),
    })),
  ),
  broken('finds no session whose application is not there', WITHOUT, (store) => ({
    findSession: (id) =>
      altered(
        store.findSession(id),
        filter(({ session, application }) => isNone(session.applicationId) || isSome(application)),
      ),
  })),
  broken('keeps the first application of a session', AS_NOW, (store) => {
    const first = new Map<string, Application>()
    return {
      commit: (change) => {
        for (const { table, row } of change.rows)
          if (table === 'applications' && row.version === 1) first.set(row.id, row)
        return store.commit(change)
      },
      ...finding(store, (facts) => ({
        ...facts,
        application: map((found: Application) => first.get(found.id) ?? found)(facts.application),
      })),
    }
  }),
  broken(
    'reads a session and its application at two moments',
    'a session and its application are of one moment, whatever is being written',
    (store) => ({
      findSession: (id) => async () => {
        const early = await store.findSession(id)()
        await turn()
        const late = await store.findSession(id)()
        if (early._tag === 'Left' || late._tag === 'Left') return early
        return {
          _tag: 'Right',
          right: map((facts: SessionFacts) => ({ ...facts, application: applicationOf(late.right) }))(
            early.right,
          ),
        }
      },
    }),
  ),
  broken('lists the sessions of a revoked application', NOT_LISTED, (store) =>
    listing(store, (_session, application) => isSome(application) || isNone(_session.applicationId)),
  ),
  broken('leaves out what it lists of a revoked application after the limit', NOT_LISTED, (store) => {
    const whole = listing(store, () => true).listSessions
    return {
      listSessions: (query) => async () => {
        const [all, alive] = [await whole(query)(), await store.listSessions({ ...query, limit: 1_000 })()]
        if (all._tag === 'Left' || alive._tag === 'Left') return all
        const ids = new Set(alive.right.map(({ id }) => id))
        return { _tag: 'Right', right: all.right.filter(({ id }) => ids.has(id)) }
      },
    }
  }),
  broken('lists no session that names no application', [NOT_LISTED, NOT_THERE], (store) =>
    listing(store, (_, application) => isSome(application) && !application.value.revoked),
  ),
  broken('lists a session of an application that is not there', NOT_THERE, (store) =>
    listing(store, (_, application) => isNone(application) || !application.value.revoked),
  ),
]

function applicationOf(found: Option<SessionFacts>): Option<Application> {
  return chain(({ application }: SessionFacts) => application)(found)
}

/** A store that says something else of the session it has found. */
function finding(store: Store, tell: (facts: SessionFacts) => SessionFacts): Pick<Store, 'findSession'> {
  return { findSession: (id) => altered(store.findSession(id), map(tell)) }
}

/** A store that decides by other facts which sessions of a user it lists. */
function listing(
  store: Store,
  isListed: (session: Session, application: Option<Application>) => boolean,
): Pick<Store, 'listSessions'> {
  return {
    listSessions: (query) => async () => {
      const rows = await store.listRows({ table: 'sessions', after: '', limit: 1_000 })()
      if (rows._tag === 'Left') return rows
      const listed: Array<Session> = []
      for (const session of rows.right) {
        const found = isSome(session.applicationId)
          ? await store.findApplication(session.applicationId.value)()
          : { _tag: 'Right' as const, right: none }
        if (found._tag === 'Left') return found
        const isOf =
          session.userId === query.userId &&
          session.passwordVersion === query.passwordVersion &&
          !session.signedOut &&
          session.expiresAtSeconds > query.expiresAfterSeconds
        if (isOf && isListed(session, found.right)) listed.push(session)
      }
      listed.sort(
        (one, other) =>
          other.expiresAtSeconds - one.expiresAtSeconds ||
          Buffer.compare(Buffer.from(other.id), Buffer.from(one.id)),
      )
      return { _tag: 'Right', right: listed.slice(0, Math.max(0, query.limit)) }
    },
  }
}
