import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'

/** What SQLite shows to any program that opens the database file. */
export const withRaw = <A>(path: string, look: (db: Database.Database) => A): A => {
  const db = new Database(path)
  try {
    return look(db)
  } finally {
    db.close()
  }
}

/** The whole content: schema, log and rows. */
export const contents = (path: string) =>
  withRaw(path, (db) => ({
    schemaVersion: db.pragma('user_version', { simple: true }),
    owner: db.pragma('application_id', { simple: true }),
    schema: db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').all(),
    log: db.prepare('SELECT * FROM log ORDER BY position').all(),
    applications: db.prepare('SELECT * FROM applications ORDER BY id').all(),
    users: db.prepare('SELECT * FROM users ORDER BY id').all(),
    sessions: db.prepare('SELECT * FROM sessions ORDER BY id').all(),
    keys: db.prepare('SELECT * FROM keys ORDER BY id').all(),
    revoked_tokens: db.prepare('SELECT * FROM revoked_tokens ORDER BY id').all(),
  }))

/** How many transactions SQLite commits to the file during `work`. */
export const transactionsDuring = async (path: string, work: () => Promise<unknown>): Promise<number> => {
  // While a reader holds an old snapshot, SQLite overwrites nothing in the write-ahead log.
  const reader = new Database(path)
  reader.exec('BEGIN; SELECT count(*) FROM log')
  try {
    const before = transactionsIn(readFileSync(`${path}-wal`))
    await work()
    return transactionsIn(readFileSync(`${path}-wal`)) - before
  } finally {
    reader.close()
  }
}

/** Only the last frame of a transaction states the database size (fileformat2.html §4.1). */
const transactionsIn = (wal: Buffer): number => {
  const pageSize = wal.readUInt32BE(8)
  const salts = wal.subarray(16, 24)
  let transactions = 0
  for (let at = HEADER_BYTES; at < wal.length; at += FRAME_HEADER_BYTES + pageSize) {
    const isCurrent = wal.subarray(at + 8, at + 16).equals(salts)
    if (isCurrent && wal.readUInt32BE(at + 4) !== 0) transactions += 1
  }
  return transactions
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
