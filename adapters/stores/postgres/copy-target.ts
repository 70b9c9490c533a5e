import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { type StoreUnavailable, TABLES } from '../../../application/ports/store.ts'
import type { Copy, CopyPage, NotEmpty, StoreContents } from '../../../application/ports/store-copy.ts'
import { mayBegin, NOT_ITS_TARGET } from '../records/copied.ts'
import { decodeCopyState } from '../records/copy-state.ts'
import { LOG_COLUMNS } from '../records/log-entry.ts'
import { MAIL_ROW } from '../records/mail-row.ts'
import { ROWS } from '../records/rows.ts'
import { rowOfCount } from '../records/stored-count.ts'
import { unavailable } from '../records/unavailable.ts'
import { contentsIn } from './copy-source.ts'
import { COPY_STATE } from './copy-state.ts'
import { replaceTiles } from './log-tree.ts'
import { INSERT_MAILS } from './outbox-statements.ts'
import type { Query } from './primary.ts'
import { INSERT } from './write.ts'

type Outcome<Failure = never> = Promise<Either<Failure | StoreUnavailable, void>>

/** Marks the store as the target of a copy, and empties what an unfinished one has left. */
export const begin = async (
  query: Query,
  { id, place }: Copy,
  { epoch, isCopy, last, tree }: StoreContents,
): Outcome<NotEmpty> => {
  const copyState = decodeCopyState((await query(`${COPY_STATE} FOR UPDATE`)).rows[0])
  if (isLeft(copyState)) return copyState
  const found = await contentsIn(query)
  if (isLeft(found)) return found
  if (!mayBegin(copyState.right, found.right, { place, epoch }))
    return left({ _tag: 'NotEmpty', copyState: copyState.right })
  await query(BEGIN, [last, epoch, id, place, isCopy])
  await query(EMPTY)
  await query(INSERT_TREE, [tree.originPrefix, tree.size, tree.root, tree.note, tree.pruned])
  return right(undefined)
}

/** Writes a page if the store is the incomplete target of this copy. */
export const write = async (query: Query, copyId: string, page: CopyPage): Outcome => {
  const { rowCount } = await query(EXPECT_TARGET, [copyId])
  if (rowCount !== 1) return NOT_ITS_TARGET
  const [expected, written] = await writeItems(query, page)
  return written === expected ? right(undefined) : unavailable(`${page.part} has rows of another writer`)
}

/** Returns how many items the page has, and how many were written. */
const writeItems = async (query: Query, page: CopyPage): Promise<readonly [number, number | null]> => {
  const inserted = async (sql: string, rows: ReadonlyArray<unknown>) =>
    [rows.length, (await query(sql, [JSON.stringify(rows)])).rowCount] as const
  switch (page.part) {
    case 'log':
      return inserted(INSERT_ENTRIES, page.entries)
    case 'tiles':
      await replaceTiles(query, page.tiles)
      return [page.tiles.length, page.tiles.length]
    case 'counts':
      return inserted(INSERT_COUNTS, page.counts.map(rowOfCount))
    case 'mails':
      return inserted(INSERT_MAILS, page.rows.map(MAIL_ROW.encode))
    default:
      return inserted(
        INSERT[page.part],
        page.rows.map((row) => ROWS[page.part].encode(row as never)), // a row of this table
      )
  }
}

/** A commit that waits for the standby also waits for all pages before it. Without a write, it would wait for nothing. */
export const settle = async (query: Query, copyId: string): Outcome => {
  const { rowCount } = await query(SETTLE, [copyId])
  return rowCount === 1 ? right(undefined) : NOT_ITS_TARGET
}

/** Opens the incomplete target of this copy. The planner knows its tables from then on. */
export const complete = async (query: Query, copyId: string): Outcome => {
  const { rowCount } = await query(COMPLETE, [copyId])
  const copyState = decodeCopyState((await query(COPY_STATE)).rows[0])
  if (isLeft(copyState)) return copyState
  if (copyState.right.state !== 'open' || copyState.right.copyId !== copyId) return NOT_ITS_TARGET
  if (rowCount === 1) await query(ANALYZE)
  return right(undefined)
}

const ALL = [
  'log',
  ...TABLES,
  'tiles',
  'failure_counts',
  'mails',
  'protocol_state',
  'server_notes',
  'tree',
].map((table) => `portcullis.${table}`)

/** The copy state is written first: only an incomplete log may be emptied. Without `table_id`, the next write renews the epoch. */
const BEGIN = `
  UPDATE portcullis.head SET position = $1, epoch = $2, copy_state = 'incomplete', copy_id = $3, copy_place = $4,
    place = portcullis.place(), table_id = CASE WHEN $5 THEN NULL ELSE tableoid END`

const EMPTY = `TRUNCATE ${ALL.join(', ')}`

const INSERT_TREE = `
  INSERT INTO portcullis.tree (origin_prefix, size, root, note, pruned) VALUES ($1, $2, $3, $4, $5)`

/** The trigger of the log compares the setting. A page need not wait for a standby: `settle` does. */
const EXPECT_TARGET = `
  SELECT pg_catalog.set_config('portcullis.copying', $1, true), pg_catalog.set_config('synchronous_commit', 'local', true)
  FROM portcullis.head WHERE copy_state = 'incomplete' AND copy_id = $1 FOR SHARE`

const INSERT_ENTRIES = `
  INSERT INTO portcullis.log (${LOG_COLUMNS.join(', ')})
  SELECT ${LOG_COLUMNS.join(', ')} FROM pg_catalog.json_populate_recordset(NULL::portcullis.log, $1)`

const INSERT_COUNTS = `
  INSERT INTO portcullis.failure_counts (key, kind, count, refused_until, forgotten_from, version)
  SELECT key, kind, count, refused_until, forgotten_from, 0
  FROM pg_catalog.json_populate_recordset(NULL::portcullis.failure_counts, $1)`

const SETTLE = `
  UPDATE portcullis.head SET copy_id = copy_id WHERE copy_state = 'incomplete' AND copy_id = $1`

const COMPLETE = `
  UPDATE portcullis.head SET copy_state = NULL, copy_place = NULL WHERE copy_state = 'incomplete' AND copy_id = $1`

const ANALYZE = `ANALYZE ${ALL.join(', ')}`
