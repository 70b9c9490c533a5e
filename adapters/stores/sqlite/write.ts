import type Database from 'better-sqlite3'
import type { PrunedEntries } from '../../../application/ports/log-tree.ts'
import {
  type Change,
  type Conflict,
  type EmailTaken,
  type EndedEpoch,
  EXPIRING_TABLES,
  type ExpiredQuery,
  type ExpiringTable,
  type NewEntry,
  perTable,
  type Row,
  type StoreUnavailable,
  type Table,
} from '../../../application/ports/store.ts'
import { refusalOf } from '../records/copy-state.ts'
import { encodeEntry, LOG_COLUMNS } from '../records/log-entry.ts'
import { automaticRenewal } from '../records/renewal.ts'
import { encodeRow, ROWS } from '../records/rows.ts'
import { reasonOf } from './group-commit.ts'
import { mailWriter } from './outbox.ts'

/** A change, a renewal of the epoch, which `renewed` receives, or other work. Work may be done twice, after it was rolled back. */
export type WriteRequest =
  | Change
  | Readonly<{ entryOf: (ended: EndedEpoch) => NewEntry; renewed: (epoch: string) => void }>
  | Readonly<{ work: () => void }>

/**
 * Writes requests one after the other within a transaction. A copy first renews its epoch. A store that `store copy` has closed refuses
 * them, but a requested renewal opens one that has moved.
 */
export const changeWriter = (db: Database.Database) => {
  const head = db.prepare<[], Head>(
    `SELECT (SELECT coalesce(max(position), 0) FROM log) AS last, epoch, is_copy, copy_state, copy_place FROM log_epoch`,
  )
  const renewed = db
    .prepare<[], string>(
      `UPDATE log_epoch SET epoch = lower(hex(randomblob(4))), is_copy = 0,
         copy_id = CASE WHEN copy_state IS NULL THEN copy_id END, copy_state = NULL, copy_place = NULL
       RETURNING epoch`,
    )
    .pluck()
  const isKnown = db.prepare('SELECT 1 FROM log WHERE id = ?').pluck()
  const append = db.prepare(
    `INSERT INTO log (${LOG_COLUMNS.join(', ')}) VALUES (${LOG_COLUMNS.map((name) => `@${name}`).join(', ')})`,
  )
  const tables = perTable((table) => writerOf(db, table))
  const mails = mailWriter(db)

  return (asked: ReadonlyArray<WriteRequest>) => {
    const found = head.get()
    if (found === undefined) throw new Error('the epoch is missing')
    let { last, epoch } = found
    let refusal = refusalOf(found)

    const renew = (entryOf: (ended: EndedEpoch) => NewEntry): void => {
      append.run(encodeEntry(entryOf({ epoch, size: last }), last + 1))
      epoch = renewed.get() ?? ''
      last += 1
      refusal = undefined
    }

    const write = (change: Change): Conflict | EmailTaken | undefined => {
      let position = last
      try {
        for (const entry of change.events) {
          position += 1
          append.run(encodeEntry(entry, position))
        }
      } catch (error) {
        // Event ids are unique, and a change has the id of its first event: the whole change is already committed.
        if (position === last + 1 && isKnown.get(change.id) !== undefined) return undefined
        throw error
      }
      for (const { table, id, version } of change.compared)
        if (tables[table].versionOf(id) !== version) return { _tag: 'Conflict' }
      if (!mails.settle(change)) return { _tag: 'Conflict' }
      for (const row of change.rows) {
        const refused = tables[row.table].write(row)
        if (refused !== undefined) return refused
      }
      mails.write(change)
      last = position
      return undefined
    }

    // A requested renewal gives a copy its new epoch, too. Other work needs none.
    const first = asked.find((one) => !('work' in one))
    if (found.is_copy === 1 && refusal === undefined && first !== undefined && 'events' in first)
      renew(automaticRenewal(first))
    return (one: WriteRequest): Conflict | EmailTaken | StoreUnavailable | undefined => {
      if (refusal !== undefined && (found.copy_state !== 'moved' || !('entryOf' in one))) return refusal
      if ('events' in one) return write(one)
      if ('work' in one) {
        one.work()
        return undefined
      }
      renew(one.entryOf)
      one.renewed(epoch)
      return undefined
    }
  }
}

type Head = Readonly<{
  last: number
  epoch: string
  is_copy: number
  copy_state: string | null
  copy_place: string | null
}>

/** Compares and writes single rows of a table. */
const writerOf = (db: Database.Database, table: Table) => {
  const { columns, unique } = ROWS[table]
  const insert = db.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})
     ON CONFLICT (id) DO NOTHING`,
  )
  const update = db.prepare(
    `UPDATE ${table} SET ${columns.flatMap((name) => (name === 'id' ? [] : `${name} = @${name}`)).join(', ')}
     WHERE id = @id AND version = @version - 1`,
  )
  const version = db.prepare<[string], number>(`SELECT version FROM ${table} WHERE id = ?`).pluck()

  return {
    /** 0 for a missing row. */
    versionOf: (id: string): number => version.get(id) ?? 0,

    /** Writes a row if the stored version is the one that was read. */
    write: (written: Row): Conflict | EmailTaken | undefined => {
      try {
        const { changes } = (written.row.version === 1 ? insert : update).run(encodeRow(written))
        return changes === 1 ? undefined : { _tag: 'Conflict' }
      } catch (error) {
        if (unique !== undefined && reasonOf(error) === 'SQLITE_CONSTRAINT_UNIQUE')
          return { _tag: 'EmailTaken' }
        throw error
      }
    },
  }
}

/** Deletes entries of the log, and returns how many. */
export const entryRemover = (db: Database.Database) => {
  const notePruned = db.prepare('UPDATE tree SET pruned = max(pruned, ?)')
  const remove = db.prepare('DELETE FROM log WHERE position IN (SELECT value FROM json_each(?))')
  return ({ through, positions }: PrunedEntries): number => {
    notePruned.run(through)
    return remove.run(JSON.stringify(positions)).changes
  }
}

/** Deletes expired rows of a table, and returns how many. */
export const expiredRemover = (db: Database.Database) => {
  const prepared = (table: ExpiringTable) => db.prepare<[number, number]>(deleteExpiredFrom(table))
  const statements = new Map(EXPIRING_TABLES.map((table) => [table, prepared(table)]))
  return ({ table, beforeSeconds, limit }: ExpiredQuery): number =>
    (statements.get(table) ?? prepared(table)).run(beforeSeconds, Math.max(0, limit)).changes
}

/** Erases labels of at most `limit` ended sessions, those of at most so many users. Returns their number, and whether some may be left. */
export const labelEraser = (db: Database.Database) => {
  const changed = db.prepare<[number], string>(USERS_WITH_ENDED_LABELS).pluck()
  const erase = db.prepare<[Readonly<{ userId: string; limit: number }>]>(ERASE_ENDED_LABELS)
  const done = db.prepare<[string]>(
    'UPDATE users SET labels_erased_at = password_version + sessions_version WHERE id = ?',
  )
  return (limit: number): Readonly<{ erased: number; areLeft: boolean }> => {
    const userIds = changed.all(limit)
    let left = limit
    for (const userId of userIds) {
      left -= erase.run({ userId, limit: left }).changes
      if (left === 0) break
      done.run(userId)
    }
    return { erased: limit - left, areLeft: left === 0 || userIds.length === limit }
  }
}

/** Both versions only grow, so each change of one of them shows in their sum. */
export const USERS_WITH_ENDED_LABELS =
  'SELECT id FROM users WHERE labels_erased_at <> password_version + sessions_version ORDER BY id LIMIT ?'

/** Reads no other session than those of the user that have a label. */
export const ERASE_ENDED_LABELS = `
  UPDATE sessions SET label = NULL WHERE id IN (
    SELECT s.id FROM sessions AS s JOIN users AS u ON u.id = s.user_id
    WHERE s.user_id = @userId AND s.label IS NOT NULL
      AND (s.password_version <> u.password_version OR s.sessions_version <> u.sessions_version)
    ORDER BY s.id LIMIT @limit)`

/** Finds the rows by an index in this order. */
export const deleteExpiredFrom = (table: ExpiringTable): string => {
  const { expiry } = ROWS[table]
  return `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${expiry} < ? ORDER BY ${expiry}, id LIMIT ?)`
}
