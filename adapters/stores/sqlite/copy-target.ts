import type Database from 'better-sqlite3'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { perTable, type StoreUnavailable, TABLES, type Table } from '../../../application/ports/store.ts'
import type { Copy, CopyPage, NotEmpty, StoreContents } from '../../../application/ports/store-copy.ts'
import { mayBegin, NOT_ITS_TARGET } from '../records/copied.ts'
import { decodeCopyState } from '../records/copy-state.ts'
import { LOG_COLUMNS } from '../records/log-entry.ts'
import { MAIL_ROW } from '../records/mail-row.ts'
import { ROWS } from '../records/rows.ts'
import { rowOfCount } from '../records/stored-count.ts'
import { contentsIn } from './copy-source.ts'
import { COPY_STATE } from './copy-state.ts'
import { REPLACE_TILE } from './log-tree.ts'
import { INSERT_MAIL } from './outbox-statements.ts'

type Outcome<Failure = never> = Either<Failure | StoreUnavailable, void>

/** What a copy writes. Each function runs in a transaction of its own. */
export const copyTarget = (db: Database.Database) => {
  const entry = db.prepare(
    `INSERT INTO log (${LOG_COLUMNS.join(', ')}) VALUES (${LOG_COLUMNS.map((name) => `@${name}`).join(', ')})`,
  )
  const rows = perTable((table) => db.prepare(insertInto(table)))
  const tile = db.prepare(REPLACE_TILE)
  const count = db.prepare(INSERT_COUNT)
  const mail = db.prepare(INSERT_MAIL)
  const isTargetOf = db.prepare<[string]>(
    "SELECT 1 FROM log_epoch WHERE copy_state = 'incomplete' AND copy_id = ?",
  )

  let deletions: ReadonlyArray<Database.Statement<[number]>> | undefined

  const writeItems = (page: CopyPage): void => {
    switch (page.part) {
      case 'log':
        for (const one of page.entries) entry.run(one)
        return
      case 'tiles':
        for (const { level, index, hashes } of page.tiles) tile.run(level, index, hashes)
        return
      case 'counts':
        for (const one of page.counts) count.run(rowOfCount(one))
        return
      case 'mails':
        for (const one of page.rows) mail.run(MAIL_ROW.encode(one))
        return
      default:
        for (const one of page.rows) rows[page.part].run(ROWS[page.part].encode(one as never)) // a row of this table
    }
  }

  return {
    begin: ({ id, place }: Copy, { epoch, isCopy }: StoreContents): Outcome<NotEmpty> => {
      const copyState = decodeCopyState(db.prepare(COPY_STATE).get())
      if (isLeft(copyState)) return copyState
      const found = contentsIn(db)
      if (isLeft(found)) return found
      if (!mayBegin(copyState.right, found.right, { place, epoch }))
        return left({ _tag: 'NotEmpty', copyState: copyState.right })
      db.prepare(BEGIN).run({ epoch, isCopy: isCopy ? 1 : 0, id, place })
      for (const table of ['password_schemes', 'server_notes', 'tree'])
        db.prepare(`DELETE FROM ${table}`).run() // few rows
      return right(undefined)
    },

    /**
     * Deletes some rows that an unfinished copy has left, and tells whether any were left. SQLite keeps deleted pages in memory until the
     * statement ends.
     */
    deleteSome: (copyId: string): Either<StoreUnavailable, boolean> => {
      if (isTargetOf.get(copyId) === undefined) return NOT_ITS_TARGET
      deletions ??= DELETED.map(([table, key]) => db.prepare<[number]>(deleteFrom(table, key)))
      return right(deletions.some((some) => some.run(DELETED_AT_ONCE).changes > 0))
    },

    /** The tree comes after its entries, so that it is not the tree of others. */
    replaceTree: (copyId: string, { tree }: StoreContents): Outcome => {
      if (isTargetOf.get(copyId) === undefined) return NOT_ITS_TARGET
      db.prepare('DELETE FROM tree').run()
      db.prepare(INSERT_TREE).run(tree)
      return right(undefined)
    },

    write: (copyId: string, page: CopyPage): Outcome => {
      if (isTargetOf.get(copyId) === undefined) return NOT_ITS_TARGET
      writeItems(page)
      return right(undefined)
    },

    /** Each page was durable when its transaction ended. */
    settle: (copyId: string): Outcome =>
      isTargetOf.get(copyId) === undefined ? NOT_ITS_TARGET : right(undefined),

    complete: (copyId: string): Outcome => {
      db.prepare(COMPLETE).run(copyId)
      const copyState = decodeCopyState(db.prepare(COPY_STATE).get())
      if (isLeft(copyState)) return copyState
      const isDone = copyState.right.state === 'open' && copyState.right.copyId === copyId
      return isDone ? right(undefined) : NOT_ITS_TARGET
    },
  }
}

/** The tables with many rows, and their keys. */
const DELETED = [
  ['log', 'position'],
  ...TABLES.map((table) => [table, 'id'] as const),
  ['tiles', 'level, n'],
  ['failure_counts', 'key'],
  ['mails', 'id'],
  ['protocol_state', 'kind, id'],
] as const satisfies ReadonlyArray<readonly [string, string]>

const DELETED_AT_ONCE = 10_000

const deleteFrom = (table: string, key: string): string =>
  `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT ?)`

const insertInto = (table: Table): string => {
  const { columns } = ROWS[table]
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`
}

const INSERT_COUNT = `
  INSERT INTO failure_counts (key, kind, count, refused_until, forgotten_from)
  VALUES (@key, @kind, @count, @refused_until, @forgotten_from)`

/** The copy state is written first: only an incomplete store may be emptied. */
const BEGIN = `
  UPDATE log_epoch SET epoch = @epoch, is_copy = @isCopy, copy_state = 'incomplete', copy_id = @id, copy_place = @place`

const INSERT_TREE = `
  INSERT INTO tree (one, origin_prefix, size, root, note, pruned) VALUES (1, @originPrefix, @size, @root, @note, @pruned)`

const COMPLETE = `
  UPDATE log_epoch SET copy_state = NULL, copy_place = NULL WHERE copy_state = 'incomplete' AND copy_id = ?`
