import type Database from 'better-sqlite3'
import { fromNullable } from 'fp-ts/lib/Option.js'
import { type DeletedRows, EXPIRING_TABLES, type ExpiredQuery } from '../../../application/ports/store.ts'

/** Deletes the expired rows of one page of a table, in one transaction. */
export const expiredRemover = (db: Database.Database) => {
  const statements = new Map(EXPIRING_TABLES.map((table) => [table, statementsFor(db, table)]))
  return ({ table, beforeSeconds, after, limit }: ExpiredQuery): DeletedRows => {
    const { page, remove } = statements.get(table) ?? statementsFor(db, table)
    const last = page.get(after, Math.max(0, limit))
    if (last === undefined || last === null) return { deleted: 0, last: fromNullable(last) }
    const { changes } = remove.run(after, last, beforeSeconds)
    return { deleted: changes, last: fromNullable(last) }
  }
}

const statementsFor = (db: Database.Database, table: ExpiredQuery['table']) => ({
  page: db
    .prepare<[string, number], string | null>(
      `SELECT max(id) FROM (SELECT id FROM ${table} WHERE id > ? ORDER BY id LIMIT ?)`,
    )
    .pluck(),
  remove: db.prepare<[string, string, number]>(
    `DELETE FROM ${table} WHERE id > ? AND id <= ? AND expires_at < ?`,
  ),
})
