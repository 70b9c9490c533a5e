import type pg from 'pg'

/** Runs one statement with parameters. */
export type Query = <Row>(
  sql: string,
  values?: ReadonlyArray<unknown>,
) => Promise<pg.QueryResult<Row & object>>

/** What a server says about itself. The timeline is null on a standby, and if the user may not ask. */
export type Server = { [IN_RECOVERY]: boolean; [TIMELINE]: string | null }

export const IN_RECOVERY = 'in recovery'
export const TIMELINE = 'timeline'
const IS_ROW = 'is a row'

/** The timeline of a primary: 8 hexadecimal digits, which sort like their numbers. It fails on a standby. */
export const TIMELINE_OF_PRIMARY =
  'pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8)'

const RECOVERY = `pg_catalog.pg_is_in_recovery() AS "${IN_RECOVERY}"`

/** Selects a `Server`. */
export const SERVER = `${RECOVERY}, CASE WHEN pg_catalog.pg_is_in_recovery() THEN NULL ELSE ${TIMELINE_OF_PRIMARY} END AS "${TIMELINE}"`

/** The same for a user who may not ask for the timeline. */
export const SERVER_WITHOUT_TIMELINE = `${RECOVERY}, NULL AS "${TIMELINE}"`

/** Decides whether the answers of a server count. */
export type PrimaryCheck = Readonly<{
  /** What a statement selects so that its server can be judged. */
  selected: () => string
  /**
   * Expects the primary, and not one that another primary has replaced.
   *
   * @param said what the server has just said about itself
   * @param query on the same connection
   * @throws Standby | OlderTimeline
   */
  expectPrimary: (said: Server | undefined, query: Query) => Promise<void>
}>

/**
 * Runs a query that also asks which server answers. Behind PgBouncer, two statements may reach two servers.
 *
 * @throws Standby | OlderTimeline
 */
export const queryPrimary = async <Row>(
  query: Query,
  check: PrimaryCheck,
  sql: string,
  values?: ReadonlyArray<unknown>,
): Promise<pg.QueryResult<Row & object>> => {
  type Joined = Row & Server & { [IS_ROW]: boolean | null }
  const result = await query<Joined>(
    `SELECT * FROM (SELECT ${check.selected()}) AS server LEFT JOIN (SELECT true AS "${IS_ROW}", * FROM (${sql}) AS asked) AS answer ON true`,
    values,
  )
  await check.expectPrimary(result.rows[0], query)
  const rows = result.rows
    .filter((row) => row[IS_ROW])
    .map(({ [IN_RECOVERY]: _, [TIMELINE]: __, [IS_ROW]: ___, ...row }) => row as Row & object)
  return { ...result, rows, rowCount: rows.length }
}
