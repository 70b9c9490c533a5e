import type Database from 'better-sqlite3'

export type Prepare = (sql: string) => Database.Statement

/** Prepares each statement when it is first needed: most services do not use all parts of a storage. */
export const preparing = (db: Database.Database): Prepare => {
  const prepared = new Map<string, Database.Statement>()
  return (sql) => {
    const known = prepared.get(sql) ?? db.prepare(sql)
    prepared.set(sql, known)
    return known
  }
}
