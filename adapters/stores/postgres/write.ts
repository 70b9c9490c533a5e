import { type Change, perTable, type Table } from '../../../application/ports/store.ts'
import { emailKey } from '../../../domain/user.ts'
import { encodeEntry, LOG_COLUMNS } from '../records/log-entry.ts'
import { MAIL_ROW } from '../records/mail-row.ts'
import { encodeRow, ROWS } from '../records/rows.ts'
import { type ChangeOutcome, checkConflicts, type Found, type Written } from './conflicts.ts'
import { LIMITS, type Limits } from './connections.ts'
import { HeadLocked, LogCopied, WriteRace } from './errors.ts'
import { DELETE_MAILS, FAIL_MAILS, INSERT_MAILS } from './outbox-statements.ts'
import { type Query, TIMELINE_OF_PRIMARY } from './primary.ts'
import { LOCK_ORDER, lockRows } from './row-locks.ts'
import type { WrittenMails } from './staged-mails.ts'

/**
 * Instances write concurrently and cannot deadlock, because all take their locks in the same order:
 *
 * 1. the existing rows, by table and id; those of a table for writing or, if all are only compared, for reading,
 * 2. the new rows, those with an e-mail last and by e-mail,
 * 3. the head of the log, which is then locked only for the time of a commit.
 *
 * A row that another instance is writing is waited for and then read again, so that READ COMMITTED is enough.
 *
 * Functions with polymorphic parameters are named with their schema. Otherwise a user with a schema on the search path
 * could add a better match, and read everything that is written.
 */

/** What of the head is compared with the server at each append. */
export type Comparison = 'nothing' | 'table' | 'table and timeline' | 'another server'

/** Writes the changes of a transaction that have no conflict, and returns the outcome of each. */
export const writeChanges = async (
  query: Query,
  changes: ReadonlyArray<Change>,
  comparison: Comparison,
  limits: Limits,
): Promise<ReadonlyArray<ChangeOutcome>> => {
  const found = await lockRows(query, changes)
  const { outcomes, changes: written, rows, mails } = checkConflicts(changes, found)
  await releaseEmails(query, rows.users, found)
  for (const table of LOCK_ORDER) await update(query, table, rows[table])
  for (const table of LOCK_ORDER) await insert(query, table, rows[table])
  await writeMails(query, mails)
  if (limits.statementMs < LIMITS.statementMs) await query(WAIT_FOR_HEAD)
  await append(query, written, comparison)
  if (written.length === 0 && outcomes.includes('already committed')) await lockHead(query)
  return outcomes
}

/** Writes mails, whose rows are locked if they exist. */
const writeMails = async (query: Query, { inserted, deleted, failed }: WrittenMails): Promise<void> => {
  if (deleted.length > 0) await query(DELETE_MAILS, [deleted])
  if (failed.length > 0) await query(FAIL_MAILS, [JSON.stringify(failed)])
  if (inserted.length > 0) await query(INSERT_MAILS, [JSON.stringify(inserted.map(MAIL_ROW.encode))])
}

/**
 * Takes the lock of an append, and appends nothing. It fails on a read-only server and without the right to write.
 *
 * The lock writes a record to the WAL, so COMMIT waits for a synchronous standby. After a transaction that only read, it does
 * not. The standby receives the WAL in order, so it then has each commit that this transaction has seen.
 */
export const lockHead = async (query: Query): Promise<void> => {
  await HeadLocked.ifLate(query(LOCK_HEAD))
}

/**
 * Appends the events of changes to the log. One statement takes the next positions and fills them.
 *
 * @param condition in SQL, without which nothing is written
 * @throws LogCopied also if the condition does not hold
 */
export const append = async (
  query: Query,
  changes: ReadonlyArray<Pick<Change, 'events'>>,
  comparison: Comparison,
  condition = 'true',
): Promise<void> => {
  const entries = changes.flatMap(({ events }) => events).map((event, index) => encodeEntry(event, index + 1))
  if (entries.length === 0) return
  if (comparison === 'another server') throw new LogCopied()
  const { rowCount } = await HeadLocked.ifLate(
    query(appendWhere(`${SAME[comparison]} AND ${condition}`), [entries.length, JSON.stringify(entries)]),
  )
  if (rowCount !== entries.length) throw new LogCopied()
}

/** The log gives the position. */
const [POSITION, ...OTHER_COLUMNS] = LOG_COLUMNS

/** All instances wait for the head, so that its lock has its own timeout. */
const PATIENCE = `patience AS MATERIALIZED (SELECT pg_catalog.set_config('lock_timeout', '${LIMITS.lockMs}', true))`

const WAIT_FOR_HEAD = `SET LOCAL statement_timeout = ${LIMITS.statementMs}`

const LOCK_HEAD = `WITH ${PATIENCE} SELECT FROM portcullis.head CROSS JOIN patience FOR UPDATE OF head`

/** A statement that waited longer would write changes that were already refused. */
const appendWhere = (condition: string): string => `
  WITH
    ${PATIENCE},
    next AS (UPDATE portcullis.head SET position = position + $1 FROM patience WHERE ${condition} RETURNING position - $1 AS before)
  INSERT INTO portcullis.log (${POSITION}, ${OTHER_COLUMNS.join(', ')})
  SELECT next.before + entry.position, ${OTHER_COLUMNS.map((name) => `entry.${name}`).join(', ')}
  FROM next CROSS JOIN pg_catalog.json_populate_recordset(NULL::portcullis.log, $2) AS entry`

const SAME_TABLE = 'head.table_id = head.tableoid'

const SAME: Readonly<Record<Exclude<Comparison, 'another server'>, string>> = {
  nothing: 'true',
  table: SAME_TABLE,
  'table and timeline': `${SAME_TABLE} AND pg_catalog.right(head.place, 8) = ${TIMELINE_OF_PRIMARY}`,
}

/**
 * Gives users with a new e-mail a placeholder first, because the next user may take their old one. No other user can
 * have the placeholder: it contains the id.
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

/** Updates existing, locked rows. */
const update = async (query: Query, table: Table, { updated }: Written): Promise<void> => {
  if (updated.length === 0) return
  const { rowCount } = await query(UPDATE[table], [JSON.stringify(updated.map(encodeRow))])
  if (rowCount !== updated.length) throw new WriteRace()
}

/** Inserts new rows. */
const insert = async (query: Query, table: Table, { inserted }: Written): Promise<void> => {
  if (inserted.length === 0) return
  const { rowCount } = await query(INSERT[table], [JSON.stringify(inserted.map(encodeRow))])
  if (rowCount !== inserted.length) throw new WriteRace()
}

const UPDATE = perTable(
  (table) => `
  UPDATE portcullis.${table} AS stored
  SET ${ROWS[table].columns.map((name) => `${name} = written.${name}`).join(', ')}
  FROM pg_catalog.json_populate_recordset(NULL::portcullis.${table}, $1) AS written
  WHERE stored.id = written.id AND stored.version < written.version`,
)

/** Inserts rows from JSON. */
export const INSERT = perTable(
  (table) => `
  INSERT INTO portcullis.${table} (${ROWS[table].columns.join(', ')})
  SELECT ${ROWS[table].columns.join(', ')}
  FROM pg_catalog.json_populate_recordset(NULL::portcullis.${table}, $1)
  ORDER BY ${ROWS[table].unique ?? 'id'}
  ON CONFLICT (id) DO NOTHING`,
)
