import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { RowOf, StoreUnavailable, Table } from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import type { FactorFacts } from '../../../domain/factor.ts'
import type { OneTimeTokenFacts } from '../../../domain/one-time-token.ts'
import { type SessionFacts, withoutEndedLabel } from '../../../domain/session.ts'
import { ROWS } from '../records/rows.ts'
import { orUnreadable } from '../records/unavailable.ts'

/**
 * Reads that join tables. They are run in raw mode: column names repeat across the tables, and an array costs less than three objects.
 */

const columnsOf = (alias: string, table: Table): string =>
  ROWS[table].columns.map((name) => `${alias}.${name}`).join(', ')

const SESSION_TABLES = `
  FROM sessions AS s JOIN users AS u ON u.id = s.user_id LEFT JOIN applications AS a ON a.id = s.application_id
  WHERE s.id = ?`

/** A session, its user, and its application or nulls. */
export const SESSION = `SELECT ${columnsOf('s', 'sessions')}, ${columnsOf('u', 'users')}, ${columnsOf('a', 'applications')} ${SESSION_TABLES}`

/** Only their versions. */
export const SESSION_VERSIONS = `SELECT s.version, u.version, a.version ${SESSION_TABLES}`

/** A one-time token, its user and its application. */
export const ONE_TIME_TOKEN = `
  SELECT ${columnsOf('t', 'one_time_tokens')}, ${columnsOf('u', 'users')}, ${columnsOf('a', 'applications')}
  FROM one_time_tokens AS t JOIN users AS u ON u.id = t.user_id JOIN applications AS a ON a.id = t.application_id
  WHERE t.digest = ?`

/** A factor and its user. */
export const FACTOR = `
  SELECT ${columnsOf('f', 'factors')}, ${columnsOf('u', 'users')}
  FROM factors AS f JOIN users AS u ON u.id = f.user_id WHERE f.id = ?`

type Values = ReadonlyArray<unknown>

export const sessionIn = (values: Values): E.Either<StoreUnavailable, SessionFacts> => {
  const session = decoded('sessions', values, 0)
  if (E.isLeft(session)) return session
  const user = decoded('users', values, SESSION_COLUMNS)
  if (E.isLeft(user)) return user
  const application = applicationIn(values)
  if (E.isLeft(application)) return application
  return E.right(
    withoutEndedLabel({ session: session.right, user: user.right, application: application.right }),
  )
}

const SESSION_COLUMNS = ROWS.sessions.columns.length
const APPLICATION_FROM = SESSION_COLUMNS + ROWS.users.columns.length

const applicationIn = (values: Values): E.Either<StoreUnavailable, O.Option<Application>> =>
  values[APPLICATION_FROM] === null
    ? E.right(O.none)
    : E.map(O.some<Application>)(decoded('applications', values, APPLICATION_FROM))

export const oneTimeTokenIn = (values: Values): E.Either<StoreUnavailable, OneTimeTokenFacts> => {
  const userFrom = ROWS.one_time_tokens.columns.length
  const applicationFrom = userFrom + ROWS.users.columns.length
  return pipe(
    E.Do,
    E.apS('token', decoded('one_time_tokens', values, 0)),
    E.apS('user', decoded('users', values, userFrom)),
    E.apS('application', decoded('applications', values, applicationFrom)),
  )
}

export const factorIn = (values: Values): E.Either<StoreUnavailable, FactorFacts> =>
  pipe(
    E.Do,
    E.apS('factor', decoded('factors', values, 0)),
    E.apS('user', decoded('users', values, ROWS.factors.columns.length)),
  )

/** The record of one table in the values of a joined row. */
const decoded = <T extends Table>(
  table: T,
  values: Values,
  from: number,
): E.Either<StoreUnavailable, RowOf<T>> => {
  const row = ROWS[table].decodeValues(values, from)
  return E.isLeft(row) ? orUnreadable(table)(row) : row
}
