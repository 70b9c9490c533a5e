import type Database from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import { recentlyUsed } from '../../../domain/recently-used.ts'
import type { SessionFacts } from '../../../domain/session.ts'
import type { User } from '../../../domain/user.ts'
import { type Columns, ROWS } from '../records/rows.ts'
import { oneRow, orUnreadable } from '../records/unavailable.ts'
import { SESSION, SESSION_VERSIONS, sessionIn } from './joined-rows.ts'

/**
 * Reads of rows that requests need again and again. Each write of a row counts up its version. So a row with the version of the last
 * read is the same: it is neither read as a whole nor decoded again, which takes a sixth of the time.
 */

/** Finds sessions with their users and applications. */
export const sessionFinder = (db: Database.Database) => {
  const versionsOf = db.prepare<[string], SessionVersions>(SESSION_VERSIONS).raw()
  const wholeOf = db.prepare<[string], Values>(SESSION).raw()
  const known = recentlyUsed<SessionFacts>(MAX_SESSIONS)
  const seen = recentlyUsed<true>(MAX_SESSIONS)

  return (id: string): E.Either<StoreUnavailable, O.Option<SessionFacts>> => {
    const versions = versionsOf.get(id)
    if (versions === undefined) return E.right(O.none)
    const before = known.get(id)
    if (before !== undefined && haveVersions(before, versions)) return E.right(O.some(before))
    const values = wholeOf.get(id)
    if (values === undefined) return E.right(O.none)
    const facts = sessionIn(values)
    if (E.isLeft(facts)) return facts
    // A session that is read once only, as at a renewal, would cost V8 more than it saves: it copies what it keeps.
    if (seen.get(id) === undefined) seen.set(id, true)
    else known.set(id, facts.right)
    return E.right(O.some(facts.right))
  }
}

type Values = ReadonlyArray<unknown>

/** Of the session, the user and the application, if there is one. */
type SessionVersions = readonly [number, number, number | null]

const haveVersions = ({ session, user, application }: SessionFacts, of: SessionVersions): boolean =>
  session.version === of[0] &&
  user.version === of[1] &&
  (O.isSome(application) ? application.value.version : null) === of[2]

/** A session takes about two kilobytes, with its user and its application, and at most ten with the largest attributes. */
const MAX_SESSIONS = 4_096

/**
 * Finds applications. Without a match, the nearest one is read all the same, so that the time does not reveal which applications exist.
 */
export const applicationFinder = (db: Database.Database) => {
  const nearest = db.prepare<[string], readonly [id: string, version: number]>(NEAREST_APPLICATION).raw()
  const wholeOf = db
    .prepare<[string], Values>(
      `SELECT ${ROWS.applications.columns.join(', ')} FROM applications WHERE id = ?`,
    )
    .raw()
  const known = recentlyUsed<Application>(MAX_APPLICATIONS)

  return (id: string): E.Either<StoreUnavailable, O.Option<Application>> => {
    const found = nearest.get(id)
    if (found === undefined) return E.right(O.none)
    const [foundId, version] = found
    const isFound = foundId === id
    const before = known.get(foundId)
    if (before !== undefined && before.version === version) return E.right(isFound ? O.some(before) : O.none)
    const values = wholeOf.get(foundId)
    if (values === undefined) return E.right(O.none)
    const decoded = ROWS.applications.decodeValues(values, 0)
    if (E.isRight(decoded)) known.set(foundId, decoded.right)
    if (!isFound) return E.right(O.none)
    return E.isRight(decoded) ? E.right(O.some(decoded.right)) : orUnreadable('applications')(decoded)
  }
}

const NEAREST_APPLICATION = `
  SELECT id, version FROM applications
  WHERE id >= min(?, (SELECT max(id) FROM applications)) ORDER BY id LIMIT 1`

const MAX_APPLICATIONS = 1_024

/**
 * Finds a user by an e-mail that may come from a client. Without a match, the nearest row is read and decoded all the same, so that the
 * time does not reveal which e-mails exist.
 */
export const userFinder = (db: Database.Database) => {
  const nearest = db.prepare<[string], Columns>(NEAREST_USER)
  return (key: string): E.Either<StoreUnavailable, O.Option<User>> => {
    const row = nearest.get(key)
    const decoded = oneRow('users', row)
    return row?.email_key === key ? decoded : E.right(O.none)
  }
}

const NEAREST_USER = `
  SELECT * FROM users
  WHERE email_key >= min(?, (SELECT max(email_key) FROM users)) ORDER BY email_key LIMIT 1`
