import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { StoreUnavailable, Table } from '../../../application/ports/store.ts'
import type { OneTimeTokenFacts } from '../../../domain/one-time-token.ts'
import type { SessionFacts } from '../../../domain/session.ts'
import { ROWS } from '../records/rows.ts'
import { oneRow, orUnreadable } from '../records/unavailable.ts'

/**
 * Reads that join tables. They are run in raw mode: column names repeat across the tables, and an array costs less than three objects.
 */

const columnsOf = (alias: string, table: Table): string =>
  ROWS[table].columns.map((name) => `${alias}.${name}`).join(', ')

/** A session, its user, and its application or nulls. */
export const SESSION = `
  SELECT ${columnsOf('s', 'sessions')}, ${columnsOf('u', 'users')}, ${columnsOf('a', 'applications')}
  FROM sessions AS s JOIN users AS u ON u.id = s.user_id LEFT JOIN applications AS a ON a.id = s.application_id
  WHERE s.id = ?`

/** A one-time token, its user and its application. */
export const ONE_TIME_TOKEN = `
  SELECT ${columnsOf('t', 'one_time_tokens')}, ${columnsOf('u', 'users')}, ${columnsOf('a', 'applications')}
  FROM one_time_tokens AS t JOIN users AS u ON u.id = t.user_id JOIN applications AS a ON a.id = t.application_id
  WHERE t.digest = ?`

type Values = ReadonlyArray<unknown>

export const sessionIn = (values: Values): E.Either<StoreUnavailable, SessionFacts> => {
  const userFrom = ROWS.sessions.columns.length
  const applicationFrom = userFrom + ROWS.users.columns.length
  return pipe(
    E.Do,
    E.apS('session', pipe(ROWS.sessions.decode(named('sessions', values, 0)), orUnreadable('sessions'))),
    E.apS('user', pipe(ROWS.users.decode(named('users', values, userFrom)), orUnreadable('users'))),
    E.apS(
      'application',
      values[applicationFrom] === null
        ? E.right(O.none)
        : oneRow(ROWS.applications, 'applications', named('applications', values, applicationFrom)),
    ),
  )
}

export const oneTimeTokenIn = (values: Values): E.Either<StoreUnavailable, OneTimeTokenFacts> => {
  const userFrom = ROWS.one_time_tokens.columns.length
  const applicationFrom = userFrom + ROWS.users.columns.length
  return pipe(
    E.Do,
    E.apS(
      'token',
      pipe(ROWS.one_time_tokens.decode(named('one_time_tokens', values, 0)), orUnreadable('one_time_tokens')),
    ),
    E.apS('user', pipe(ROWS.users.decode(named('users', values, userFrom)), orUnreadable('users'))),
    E.apS(
      'application',
      pipe(
        ROWS.applications.decode(named('applications', values, applicationFrom)),
        orUnreadable('applications'),
      ),
    ),
  )
}

/** The columns of one table in the values of a joined row. */
const named = (table: Table, values: Values, from: number): Record<string, unknown> => {
  const columns: Record<string, unknown> = {}
  for (const [index, name] of ROWS[table].columns.entries()) columns[name] = values[from + index]
  return columns
}
