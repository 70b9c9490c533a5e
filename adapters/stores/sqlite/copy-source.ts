import type Database from 'better-sqlite3'
import { type Either, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { StoredTile } from '../../../application/ports/log-tree.ts'
import { type StoreUnavailable, TABLES, type Table } from '../../../application/ports/store.ts'
import {
  COPY_PAGE,
  type CopyPage,
  type StoreContents,
  type StoredEntry,
} from '../../../application/ports/store-copy.ts'
import { unclaimed } from '../records/copied.ts'
import { copyPages } from '../records/copy-pages.ts'
import { LOG_COLUMNS } from '../records/log-entry.ts'
import { manyMails } from '../records/mail-row.ts'
import { ROWS } from '../records/rows.ts'
import { countsIn } from '../records/stored-count.ts'
import { decodeTree } from '../records/stored-tree.ts'
import { manyRawRows } from '../records/unavailable.ts'
import { reasonOf } from './group-commit.ts'
import { attempt } from './grouped-reads.ts'
import { TREE } from './log-tree.ts'
import { MAILS_AFTER } from './outbox-statements.ts'

/** Yields everything in the store, as the transaction of the connection sees it. */
export async function* pagesIn(db: Database.Database): AsyncGenerator<Either<StoreUnavailable, CopyPage>> {
  const entries = db.prepare<[number, number], StoredEntry>(ENTRIES)
  const tiles = db.prepare<[number, number, number], StoredTile>(TILES)
  const counts = db.prepare<[string, number], Keyed>(COUNTS)
  const mails = db.prepare<[string, number]>(MAILS_AFTER)

  yield* paged(
    (after) => right(entries.all(after, COPY_PAGE)),
    0,
    ({ position }) => position,
    (found) => ({ part: 'log', entries: found }),
  )
  for (const table of TABLES) {
    const rows = db.prepare<[string, number], ReadonlyArray<unknown>>(rowsOf(table)).raw()
    yield* paged(
      (after) => manyRawRows(table, rows.all(after, COPY_PAGE)),
      '',
      ({ id }) => id,
      (found) => ({ part: table, rows: found }) as CopyPage, // of this table
    )
  }
  yield* paged(
    ({ level, index }) => right(tiles.all(level, index, COPY_PAGE)),
    { level: -1, index: 0 },
    (tile) => tile,
    (found) => ({ part: 'tiles', tiles: found }),
  )
  yield* paged(
    (after) => right(counts.all(after, COPY_PAGE)),
    '',
    ({ key }) => key,
    (found) => ({ part: 'counts', counts: countsIn(found) }),
  )
  yield* paged(
    (after) => manyMails(mails.all(after, COPY_PAGE)),
    '',
    ({ id }) => id,
    (found) => ({ part: 'mails', rows: found.map(unclaimed) }),
  )
}

const paged = copyPages(reasonOf)

type Keyed = Readonly<{ key: string }>

const ENTRIES = `SELECT ${LOG_COLUMNS.join(', ')} FROM log WHERE position > ? ORDER BY position LIMIT ?`

const rowsOf = (table: Table): string =>
  `SELECT ${ROWS[table].columns.join(', ')} FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`

const TILES = `
  SELECT level, n AS "index", hashes FROM tiles WHERE (level, n) > (?, ?) ORDER BY level, n LIMIT ?`

const COUNTS = `
  SELECT key, kind, count, refused_until, forgotten_from FROM failure_counts WHERE key > ? ORDER BY key LIMIT ?`

/** What the store contains, as one statement or the transaction of the connection sees it. */
export const contentsIn = (db: Database.Database): Either<StoreUnavailable, StoreContents> =>
  attempt(() => {
    const counted = db.prepare<[], Readonly<Record<string, number>>>(CONTENTS).get()
    if (counted === undefined) return left({ _tag: 'StoreUnavailable', reason: 'the epoch is missing' })
    const { is_copy, ...items } = counted
    return pipe(
      decodeTree(db.prepare(TREE).get()),
      map(({ epoch, entries, ...tree }) => ({
        epoch,
        isCopy: is_copy === 1,
        last: entries,
        tree,
        items: items as StoreContents['items'], // each part has its column
      })),
    )
  })

const CONTENTS = `
  SELECT is_copy, (SELECT count(*) FROM log) AS log,
    ${TABLES.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`).join(', ')},
    (SELECT count(*) FROM tiles) AS tiles, (SELECT count(*) FROM failure_counts) AS counts,
    (SELECT count(*) FROM mails) AS mails
  FROM log_epoch`
