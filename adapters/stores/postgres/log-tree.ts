import * as E from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { LineQuery, LogLine } from '../../../application/ports/log-lines.ts'
import {
  EMPTY_TREE,
  type LogTree,
  type StoredTile,
  type TreeExtension,
  type TreeReads,
} from '../../../application/ports/log-tree.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { LogColumns } from '../records/log-entry.ts'
import { logLines } from '../records/log-line.ts'
import { decodeTree } from '../records/stored-tree.ts'
import { unavailable } from '../records/unavailable.ts'
import type { Connections } from './connections.ts'
import { expectOpen } from './copy-state.ts'
import { reasonOf } from './errors.ts'
import type { Query } from './primary.ts'

/** Answers unless the store is closed. Every error means that it is unavailable. */
export type Answering = <A>(
  ask: () => Promise<E.Either<StoreUnavailable, A>>,
) => TaskEither<StoreUnavailable, A>

/**
 * The Merkle tree of the log in a PostgreSQL database. The instance that locks its row computes and writes. The others
 * do not wait, and no append needs the row.
 */
export const postgresLogTree = ({ read, transaction }: Connections, answering: Answering): LogTree => ({
  readLines: (query) => answering(() => transaction((run) => linesBy(run)(query), { changesNothing: true })),
  readTree: () =>
    answering(async () => {
      const { rows } = await read(TREE)
      return decodeTree(rows[0])
    }),
  readTile: (tile) => answering(() => tileBy(read)(tile)),
  extendTree: (extend) =>
    answering(() =>
      transaction(async (query) => {
        await expectOpen(query)
        const locked = await query(LOCK_TREE)
        const isOurs = locked.rowCount === 1 || (await query(RESTORE_TREE)).rowCount === 1
        if (!isOurs) return E.right(false) // another instance works
        const stored = decodeTree((await query(TREE)).rows[0])
        if (E.isLeft(stored)) return stored
        const extension = await extend(stored.right, {
          readLines: (asked) => reporting(() => linesBy(query)(asked)),
          readTile: (tile) => reporting(() => tileBy(query)(tile)),
        })()
        if (isNone(extension)) return E.right(false)
        await replace(query, extension.value)
        return E.right(true)
      }),
    ),
  pruneLog: ({ through, positions }) =>
    answering(() =>
      transaction(async (query) => {
        await expectOpen(query)
        await query(NOTE_PRUNED, [through])
        const { rowCount } = await query(DELETE_ENTRIES, [positions])
        return E.right(rowCount ?? 0)
      }),
    ),
})

const linesBy =
  (query: Query) =>
  async ({
    after,
    limit,
    ...asked
  }: LineQuery): Promise<E.Either<StoreUnavailable, ReadonlyArray<LogLine>>> => {
    const { rows } = await query<LogColumns>(LINES, [after, Math.max(0, limit)])
    return E.right(logLines(rows, asked))
  }

const tileBy =
  (query: Query) =>
  async ({
    level,
    index,
  }: Parameters<TreeReads['readTile']>[0]): Promise<E.Either<StoreUnavailable, Uint8Array>> => {
    const { rows } = await query<{ hashes: Uint8Array }>(TILE, [level, index])
    return E.right(rows[0]?.hashes ?? new Uint8Array())
  }

/** Within a transaction a failed read must not throw through the work of others. */
const reporting =
  <A>(ask: () => Promise<E.Either<StoreUnavailable, A>>): TaskEither<StoreUnavailable, A> =>
  async () => {
    try {
      return await ask()
    } catch (error) {
      return unavailable(reasonOf(error))
    }
  }

const replace = async (
  query: Query,
  { originPrefix, size, root, note, tiles }: TreeExtension,
): Promise<void> => {
  await query(REPLACE_TREE, [originPrefix, size, root, note])
  await replaceTiles(query, tiles)
}

/** Writes tiles. Each replaces the stored one. */
export const replaceTiles = async (query: Query, tiles: ReadonlyArray<StoredTile>): Promise<void> => {
  await query(REPLACE_TILES, [
    tiles.map(({ level }) => level),
    tiles.map(({ index }) => index),
    tiles.map(({ hashes }) => Buffer.from(hashes)),
  ])
}

const LINES = 'SELECT * FROM portcullis.log WHERE position > $1 ORDER BY position LIMIT $2'

/** A tree whose row was removed is empty. */
export const TREE = `
  SELECT coalesce(origin_prefix, '') AS origin_prefix, coalesce(size, 0) AS size, coalesce(root, '${EMPTY_TREE.root}') AS root,
    coalesce(note, '') AS note, coalesce(pruned, 0) AS pruned, epoch, head.position AS entries
  FROM portcullis.head LEFT JOIN portcullis.tree ON true`

/**
 * The tree is read by the next statement. One statement would combine a tree that another instance has just written with the head
 * from before.
 */
const LOCK_TREE = 'SELECT 1 FROM portcullis.tree FOR UPDATE SKIP LOCKED'

/** With a conflict it would wait for the instance that works, so it looks first. */
const RESTORE_TREE = `
  INSERT INTO portcullis.tree (one) SELECT true WHERE NOT EXISTS (SELECT FROM portcullis.tree) ON CONFLICT DO NOTHING`

const TILE = 'SELECT hashes FROM portcullis.tiles WHERE level = $1 AND n = $2'

const REPLACE_TREE = 'UPDATE portcullis.tree SET origin_prefix = $1, size = $2, root = $3, note = $4'

/** Always locks the row, so that no entry is deleted while the store is copied. */
const NOTE_PRUNED = 'UPDATE portcullis.tree SET pruned = greatest(pruned, $1)'

const DELETE_ENTRIES = 'DELETE FROM portcullis.log WHERE position = ANY ($1)'

const REPLACE_TILES = `
  INSERT INTO portcullis.tiles (level, n, hashes)
  SELECT * FROM ROWS FROM (
    pg_catalog.unnest($1::integer[]), pg_catalog.unnest($2::bigint[]), pg_catalog.unnest($3::bytea[]))
  ON CONFLICT (level, n) DO UPDATE SET hashes = excluded.hashes`
