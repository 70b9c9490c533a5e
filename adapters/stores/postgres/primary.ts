import type pg from 'pg'

import { Standby } from './errors.ts'

/** Runs one statement with parameters. */
export type Query = <Row>(
  sql: string,
  values?: ReadonlyArray<unknown>,
) => Promise<pg.QueryResult<Row & object>>

/**
 * Runs a query that also asks whether the server is a standby. Behind PgBouncer, two statements may reach two servers.
 *
 * @throws Standby unless the server is a primary
 */
export const queryPrimary = async <Row>(
  query: Query,
  sql: string,
  values?: ReadonlyArray<unknown>,
): Promise<pg.QueryResult<Row & object>> => {
  type Joined = Row & { [IN_RECOVERY]: boolean; [IS_ROW]: boolean | null }
  const result = await query<Joined>(
    `SELECT * FROM (SELECT ${RECOVERY}) AS server LEFT JOIN (SELECT true AS "${IS_ROW}", * FROM (${sql}) AS asked) AS answer ON true`,
    values,
  )
  if (result.rows[0]?.[IN_RECOVERY] !== false) throw new Standby()
  const rows = result.rows
    .filter((row) => row[IS_ROW])
    .map(({ [IN_RECOVERY]: _, [IS_ROW]: __, ...row }) => row as Row & object)
  return { ...result, rows, rowCount: rows.length }
}

export const IN_RECOVERY = 'in recovery'
const IS_ROW = 'is a row'

/** Selects whether the server is a standby. */
export const RECOVERY = `pg_catalog.pg_is_in_recovery() AS "${IN_RECOVERY}"`
