import type Database from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import {
  EMPTY_TREE,
  type LogTree,
  type StoredTree,
  type TreeExtension,
} from '../../../application/ports/log-tree.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { LOG_COLUMNS } from '../records/log-entry.ts'
import { logLinesOfValues } from '../records/log-line.ts'
import { decodeTree } from '../records/stored-tree.ts'

/** How the store reads and writes. Work is written in the transaction of the changes that wait, and may be done twice. */
type Access = Readonly<{
  read: <A>(query: () => E.Either<StoreUnavailable, A>) => TaskEither<StoreUnavailable, A>
  write: <A>(work: () => A) => TaskEither<StoreUnavailable, A>
}>

/** The Merkle tree of the log in a SQLite file. Each process computes it, and the first one stores it. */
export const sqliteLogTree = (db: Database.Database, { read, write }: Access): Omit<LogTree, 'pruneLog'> => {
  const lines = db.prepare<[number, number], ReadonlyArray<unknown>>(LINES).raw()
  const tree = db.prepare(TREE)
  const tile = db.prepare<[number, number], Uint8Array>(TILE).pluck()
  const replaceTree = db.prepare(REPLACE_TREE)
  const replaceTile = db.prepare(REPLACE_TILE)

  const replace = (old: StoredTree, { tiles, ...state }: TreeExtension): boolean => {
    const before = { oldSize: old.size, oldRoot: old.root, oldNote: old.note }
    const { changes } = replaceTree.run({ ...state, ...before })
    if (changes === 0) return false
    for (const { level, index, hashes } of tiles) replaceTile.run(level, index, hashes)
    return true
  }

  const readTree = () => read(() => decodeTree(tree.get()))
  const reads: Pick<LogTree, 'readLines' | 'readTile'> = {
    readLines: ({ after, limit, ...query }) =>
      read(() => E.right(logLinesOfValues(lines.all(after, Math.max(0, limit)), query))),
    readTile: ({ level, index }) => read(() => E.right(tile.get(level, index) ?? new Uint8Array())),
  }

  return {
    ...reads,
    readTree,
    extendTree: (extend) => async () => {
      const stored = await readTree()()
      if (E.isLeft(stored)) return stored
      const extension = await extend(stored.right, reads)()
      if (isNone(extension)) return E.right(false)
      return write(() => replace(stored.right, extension.value))()
    },
  }
}

const LINES = `SELECT ${LOG_COLUMNS.join(', ')} FROM log WHERE position > ? ORDER BY position LIMIT ?`

/** A tree whose row was removed is empty. */
export const TREE = `
  SELECT coalesce(origin_prefix, '') AS origin_prefix, coalesce(size, 0) AS size, coalesce(root, '${EMPTY_TREE.root}') AS root,
    coalesce(note, '') AS note, coalesce(pruned, 0) AS pruned, epoch, (SELECT coalesce(max(position), 0) FROM log) AS entries
  FROM log_epoch LEFT JOIN tree`

const TILE = 'SELECT hashes FROM tiles WHERE level = ? AND n = ?'

const REPLACE_TREE = `
  INSERT INTO tree (one, origin_prefix, size, root, note) VALUES (1, @originPrefix, @size, @root, @note)
  ON CONFLICT (one) DO UPDATE SET
    origin_prefix = excluded.origin_prefix, size = excluded.size, root = excluded.root, note = excluded.note
  WHERE size = @oldSize AND root = @oldRoot AND note = @oldNote`

export const REPLACE_TILE = `
  INSERT INTO tiles (level, n, hashes) VALUES (?, ?, ?) ON CONFLICT (level, n) DO UPDATE SET hashes = excluded.hashes`
