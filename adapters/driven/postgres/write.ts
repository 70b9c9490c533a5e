import type { Change, Table } from '../../../application/ports/store.ts'
import { emailKey } from '../../../domain/user.ts'
import { encodeEntry } from '../records/log-entry.ts'
import { encodeRow, ROWS } from '../records/rows.ts'
import { type ChangeOutcome, checkConflicts, type Found, type Written } from './conflicts.ts'
import { LOCK_MS, type Query } from './connections.ts'

/**
 * Several instances write at once, and none waits in a circle: whoever writes takes what there is in one order. First the rows
 * that are there, table by table and by id; then those it makes, the ones with an e-mail last and by that; the head of the log
 * at the very end, so that it is held no longer than a commit takes. A row that somebody else is about to write is
 * waited for and then read as it was left, so that READ COMMITTED is enough.
 *
 * A function that takes values of any type is named with its schema: somebody who may create in another one on the search path could
 * put a function in its place that fits better, and would be told all that is written.
 */

/** Somebody else wrote what was not there a moment ago: everything has to be judged again. */
export class WriteRace extends Error {}

/** The log continues from a copy of itself, and needs another epoch first. Nothing was written. */
export class LogCopied extends Error {}

/** What of the head is compared with the server as it is appended to. */
export type Comparison = 'nothing' | 'table' | 'table and timeline' | 'another server'

/** Writes those changes of a transaction that can be written, and says what becomes of each. */
export const writeChanges = async (
  query: Query,
  changes: ReadonlyArray<Change>,
  comparison: Comparison,
): Promise<ReadonlyArray<ChangeOutcome>> => {
  const found = await lockRows(query, changes)
  const { outcomes, changes: written, rows } = checkConflicts(changes, found)
  await releaseEmails(query, rows.users, found)
  for (const table of TABLES) await update(query, table, rows[table])
  for (const table of TABLES) await insert(query, table, rows[table])
  await append(query, written, comparison)
  return outcomes
}

/**
 * Appends the events of changes to the log: one statement, which takes the next positions and fills them.
 *
 * @throws LogCopied
 */
export const append = async (
  query: Query,
  changes: ReadonlyArray<Pick<Change, 'events'>>,
  comparison: Comparison,
): Promise<void> => {
  const entries = changes.flatMap(({ events }) => events).map((event, index) => encodeEntry(event, index + 1))
  if (entries.length === 0) return
  if (comparison === 'another server') throw new LogCopied()
  const { rowCount } = await query(APPEND[comparison], [entries.length, JSON.stringify(entries)])
  if (rowCount !== entries.length) throw new LogCopied()
}

/** In the order in which rows are locked and inserted: those that have to be unique by an e-mail last. */
const TABLES = [
  'applications',
  'sessions',
  'keys',
  'revoked_tokens',
  'users',
] as const satisfies ReadonlyArray<Table>

const LOG_COLUMNS = [
  'id',
  'type',
  'version',
  'at',
  'subject_kind',
  'subject_id',
  'actor_kind',
  'actor_id',
  'request_id',
  'data',
]

/** It says itself how long it waits for the head: one that went on waiting unheard would write what was refused long ago. */
const appendWhere = (condition: string): string => `
  WITH
    patience AS MATERIALIZED (SELECT pg_catalog.set_config('lock_timeout', '${LOCK_MS}', true)),
    next AS (UPDATE portcullis.head SET position = position + $1 FROM patience WHERE ${condition} RETURNING position - $1 AS before)
  INSERT INTO portcullis.log (position, ${LOG_COLUMNS.join(', ')})
  SELECT next.before + entry.position, ${LOG_COLUMNS.map((name) => `entry.${name}`).join(', ')}
  FROM next CROSS JOIN pg_catalog.json_populate_recordset(NULL::portcullis.log, $2) AS entry`

const SAME_TABLE = 'head.table_id = head.tableoid'
const SAME_TIMELINE =
  'pg_catalog.right(head.place, 8) = pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8)'

const APPEND = {
  nothing: appendWhere('true'),
  table: appendWhere(SAME_TABLE),
  'table and timeline': appendWhere(`${SAME_TABLE} AND ${SAME_TIMELINE}`),
}

/** Reads and locks what the changes speak of. */
const lockRows = async (query: Query, changes: ReadonlyArray<Change>): Promise<Found> => {
  const versions: Record<Table, Map<string, number>> = {
    applications: new Map(),
    sessions: new Map(),
    keys: new Map(),
    revoked_tokens: new Map(),
    users: new Map(),
  }
  const emailKeys = new Map<string, string>()
  const rows = changes.flatMap((change) => change.rows)
  for (const table of TABLES) {
    const ids = rows.flatMap((row) => (row.table === table ? [row.row.id] : []))
    if (ids.length === 0) continue
    const emails = rows.flatMap((row) => (row.table === 'users' ? [emailKey(row.row.email)] : []))
    const found =
      table === 'users'
        ? await query<FoundRow>(LOCK_USERS, [ids, emails])
        : await query<FoundRow>(LOCK[table], [ids])
    for (const { id, version, email_key } of found.rows) {
      versions[table].set(id, version)
      if (email_key !== undefined) emailKeys.set(id, email_key)
    }
  }
  const events = changes.flatMap((change) => change.events.map(({ id }) => id))
  const known = await query<{ id: string }>('SELECT id FROM portcullis.log WHERE id = ANY ($1)', [events])
  return { eventIds: new Set(known.rows.map(({ id }) => id)), versions, emailKeys }
}

type FoundRow = Readonly<{ id: string; version: number; email_key?: string }>

const lock = (table: Table): string =>
  `SELECT id, version FROM portcullis.${table} WHERE id = ANY ($1) ORDER BY id FOR UPDATE`

const LOCK = {
  applications: lock('applications'),
  sessions: lock('sessions'),
  keys: lock('keys'),
  revoked_tokens: lock('revoked_tokens'),
}

const LOCK_USERS = `
  SELECT id, version, email_key FROM portcullis.users
  WHERE id = ANY ($1) OR email_key = ANY ($2) ORDER BY id FOR UPDATE`

/**
 * Users who get another e-mail first have none that anybody wants, for the next may be one that another of them had. What they
 * get nobody else can be after at this moment: the id that stands in place of an e-mail when a user is removed.
 */
const releaseEmails = async (query: Query, { updated }: Written, { emailKeys }: Found): Promise<void> => {
  const ids = updated.flatMap((written) =>
    written.table === 'users' && emailKeys.get(written.row.id) !== emailKey(written.row.email)
      ? [written.row.id]
      : [],
  )
  if (ids.length > 0) await query(RELEASE_EMAILS, [ids])
}

const RELEASE_EMAILS = 'UPDATE portcullis.users SET email_key = chr(1) || id WHERE id = ANY ($1)'

/** Rows that are there, and locked. */
const update = async (query: Query, table: Table, { updated }: Written): Promise<void> => {
  if (updated.length === 0) return
  const { rowCount } = await query(UPDATE[table], [JSON.stringify(updated.map(encodeRow))])
  if (rowCount !== updated.length) throw new WriteRace()
}

/** Rows that were not there. */
const insert = async (query: Query, table: Table, { inserted }: Written): Promise<void> => {
  if (inserted.length === 0) return
  const { rowCount } = await query(INSERT[table], [JSON.stringify(inserted.map(encodeRow))])
  if (rowCount !== inserted.length) throw new WriteRace()
}

const perTable = (sql: (table: Table) => string): Readonly<Record<Table, string>> => ({
  applications: sql('applications'),
  sessions: sql('sessions'),
  keys: sql('keys'),
  revoked_tokens: sql('revoked_tokens'),
  users: sql('users'),
})

const UPDATE = perTable(
  (table) => `
  UPDATE portcullis.${table} AS stored
  SET ${ROWS[table].columns.map((name) => `${name} = written.${name}`).join(', ')}
  FROM pg_catalog.json_populate_recordset(NULL::portcullis.${table}, $1) AS written
  WHERE stored.id = written.id AND stored.version < written.version`,
)

const INSERT = perTable(
  (table) => `
  INSERT INTO portcullis.${table} (${ROWS[table].columns.join(', ')})
  SELECT ${ROWS[table].columns.join(', ')}
  FROM pg_catalog.json_populate_recordset(NULL::portcullis.${table}, $1)
  ORDER BY ${table === 'users' ? 'email_key' : 'id'}
  ON CONFLICT (id) DO NOTHING`,
)
