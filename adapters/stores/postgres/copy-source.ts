import { type Either, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { StoredTile } from '../../../application/ports/log-tree.ts'
import { type StoreUnavailable, TABLES } from '../../../application/ports/store.ts'
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
import { countsIn } from '../records/stored-count.ts'
import { decodeTree } from '../records/stored-tree.ts'
import { manyRows, unavailable } from '../records/unavailable.ts'
import { IS_COPY } from './epoch.ts'
import { HeadMissing, reasonOf } from './errors.ts'
import { TREE } from './log-tree.ts'
import { MAILS_AFTER } from './outbox-statements.ts'
import type { Query } from './primary.ts'

/** Yields everything in the store. Its tables are locked, so that all pages are of one moment. */
export async function* pagesIn(query: Query): AsyncGenerator<Either<StoreUnavailable, CopyPage>> {
  yield* paged(
    async (after: number) => right((await query<StoredEntry>(ENTRIES, [after, COPY_PAGE])).rows),
    0,
    ({ position }) => position,
    (entries) => ({ part: 'log', entries }),
  )
  for (const table of TABLES)
    yield* paged(
      async (after: string) =>
        manyRows(
          table,
          (
            await query(`SELECT * FROM portcullis.${table} WHERE id > $1 ORDER BY id LIMIT $2`, [
              after,
              COPY_PAGE,
            ])
          ).rows,
        ),
      '',
      ({ id }) => id,
      (rows) => ({ part: table, rows }) as CopyPage, // of this table
    )
  yield* paged(
    async ({ level, index }: Pick<StoredTile, 'level' | 'index'>) =>
      right((await query<StoredTile>(TILES, [level, index, COPY_PAGE])).rows),
    { level: -1, index: 0 },
    (tile) => tile,
    (tiles) => ({ part: 'tiles', tiles }),
  )
  yield* paged(
    async (after: string) => right((await query<Readonly<{ key: string }>>(COUNTS, [after, COPY_PAGE])).rows),
    '',
    ({ key }) => key,
    (counts) => ({ part: 'counts', counts: countsIn(counts) }),
  )
  yield* paged(
    async (after: string) => manyMails((await query(MAILS_AFTER, [after, COPY_PAGE])).rows),
    '',
    ({ id }) => id,
    (rows) => ({ part: 'mails', rows: rows.map(unclaimed) }),
  )
}

const paged = copyPages(reasonOf)

const ENTRIES = `
  SELECT ${LOG_COLUMNS.join(', ')} FROM portcullis.log WHERE position > $1 ORDER BY position LIMIT $2`

const TILES = `
  SELECT level, n AS index, hashes FROM portcullis.tiles WHERE (level, n) > ($1, $2) ORDER BY level, n LIMIT $3`

/** A row of a key without failures stays for a while. */
const COUNTS = `
  SELECT key, kind, count, refused_until, forgotten_from FROM portcullis.failure_counts
  WHERE key > $1 AND count >= 0 ORDER BY key LIMIT $2`

/** What the store contains, of one moment. */
export const contentsIn = async (query: Query): Promise<Either<StoreUnavailable, StoreContents>> => {
  const { rows } = await query<Readonly<Record<string, number>> & Readonly<{ is_copy: boolean }>>(CONTENTS)
  const [found] = rows
  if (found === undefined) return unavailable(new HeadMissing().message)
  return pipe(
    decodeTree(found),
    map(({ epoch, entries, ...tree }) => ({
      epoch,
      isCopy: found.is_copy,
      last: entries,
      tree,
      items: Object.fromEntries(
        PARTS.map((part) => [part, found[`${part}_items`]]),
      ) as StoreContents['items'],
    })),
  )
}

const PARTS = ['log', ...TABLES, 'tiles', 'counts', 'mails'] as const

const COUNTED = { counts: 'failure_counts WHERE count >= 0' } as Readonly<Record<string, string>>

const CONTENTS = `
  SELECT tree.*, ${IS_COPY} AS is_copy,
    ${PARTS.map((part) => `(SELECT count(*) FROM portcullis.${COUNTED[part] ?? part}) AS ${part}_items`).join(', ')}
  FROM (${TREE}) AS tree CROSS JOIN portcullis.head`
