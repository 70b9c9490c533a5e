import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { RowOf, StoreUnavailable, Table, TokenHolder } from '../../../application/ports/store.ts'
import type { FactorFacts } from '../../../domain/factor.ts'
import type { OneTimeTokenFacts } from '../../../domain/one-time-token.ts'
import { type SessionFacts, withoutEndedLabel } from '../../../domain/session.ts'
import { ROWS } from '../records/rows.ts'
import { oneRow, orUnreadable } from '../records/unavailable.ts'

/** Reads that join tables. Column names repeat across them, so each has the name of its table as a prefix. */

const columnsOf = (table: Table): string =>
  ROWS[table].columns.map((name) => `${table}.${name} AS ${table}_${name}`).join(', ')

export const SESSION = `
  SELECT ${columnsOf('sessions')}, ${columnsOf('users')}, ${columnsOf('applications')}
  FROM portcullis.sessions JOIN portcullis.users ON users.id = sessions.user_id
    LEFT JOIN portcullis.applications ON applications.id = sessions.application_id
  WHERE sessions.id = $1`

export const TOKEN_HOLDER = `
  SELECT ${columnsOf('applications')}, ${columnsOf('revoked_tokens')}
  FROM portcullis.applications LEFT JOIN portcullis.revoked_tokens ON revoked_tokens.id = $2
  WHERE applications.id = $1`

export const ONE_TIME_TOKEN = `
  SELECT ${columnsOf('one_time_tokens')}, ${columnsOf('users')}, ${columnsOf('applications')}
  FROM portcullis.one_time_tokens JOIN portcullis.users ON users.id = one_time_tokens.user_id
    JOIN portcullis.applications ON applications.id = one_time_tokens.application_id
  WHERE one_time_tokens.digest = $1`

export const FACTOR = `
  SELECT ${columnsOf('factors')}, ${columnsOf('users')}
  FROM portcullis.factors JOIN portcullis.users ON users.id = factors.user_id
  WHERE factors.id = $1`

type Joined = Record<string, unknown>

export const sessionIn = (row: Joined): E.Either<StoreUnavailable, SessionFacts> =>
  pipe(
    E.Do,
    E.apS('session', decoded('sessions', row)),
    E.apS('user', decoded('users', row)),
    E.apS(
      'application',
      row.applications_id === null ? E.right(O.none) : oneRow('applications', part(row, 'applications')),
    ),
    E.map(withoutEndedLabel),
  )

export const tokenHolderIn = (row: Joined, tokenId: string): E.Either<StoreUnavailable, TokenHolder> =>
  pipe(
    E.Do,
    E.apS('application', decoded('applications', row)),
    E.apS(
      'revocation',
      row.revoked_tokens_id === tokenId
        ? oneRow('revoked_tokens', part(row, 'revoked_tokens'))
        : E.right(O.none),
    ),
  )

export const oneTimeTokenIn = (row: Joined): E.Either<StoreUnavailable, OneTimeTokenFacts> =>
  pipe(
    E.Do,
    E.apS('token', decoded('one_time_tokens', row)),
    E.apS('user', decoded('users', row)),
    E.apS('application', decoded('applications', row)),
  )

export const factorIn = (row: Joined): E.Either<StoreUnavailable, FactorFacts> =>
  pipe(E.Do, E.apS('factor', decoded('factors', row)), E.apS('user', decoded('users', row)))

const decoded = <T extends Table>(table: T, row: Joined): E.Either<StoreUnavailable, RowOf<T>> =>
  pipe(ROWS[table].decode(part(row, table)), orUnreadable(table))

/** The columns of one table in a joined row. */
const part = (row: Joined, table: Table): Record<string, unknown> =>
  Object.fromEntries(ROWS[table].columns.map((name) => [name, row[`${table}_${name}`]]))
