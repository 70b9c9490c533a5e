import { rmSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { hasJournal, retryWhileBusy } from './database.ts'
import { createPrivately, headerOf, isOfSqlite, makePrivate, UnusableFile } from './database-file.ts'
import { connect, DriverMismatch } from './driver.ts'
import { COUNT_TABLES } from './read-model-counts.ts'

/**
 * Opens the file of a read model, or creates it. It may be deleted at any time, so it is created again if it is damaged or has
 * another schema. A file of another program stays untouched.
 *
 * @param onRebuild is called if the file has to be built again
 * @throws UnusableFile
 */
export const openReadModelFile = (path: string, onRebuild: () => void): Database.Database => {
  try {
    createPrivately(path, 'READ_MODEL')
    if (statSync(path).size > 0 && !isOurs(path)) throw new UnusableFile(FOREIGN)
    try {
      return opened(path, onRebuild)
    } catch (error) {
      if (!isDamage(error)) throw error
    }
    onRebuild()
    removeReadModelFile(path)
    createPrivately(path, 'READ_MODEL')
    return opened(path, () => undefined)
  } catch (error) {
    throw new UnusableFile(`The read model ${path} cannot be used: ${messageOf(error)}`)
  }
}

/** Removes the file. What lies beside it goes first: SQLite would read it into a new file. */
export const removeReadModelFile = (path: string): void => {
  for (const file of [`${path}-wal`, `${path}-shm`, `${path}-journal`, path]) rmSync(file, { force: true })
}

/** Whether SQLite has found a damage of the file. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^SQLITE_(?:CORRUPT|NOTADB)/.test(String(error.code))

/** Marks the file: "PORM" in ASCII. */
const APPLICATION_ID = 0x504f524d

/** Raise it with each change of the tables: then the file is built again. */
const SCHEMA = 3

/** `user` and `application` are ids. Positions are those of the log. Their indexes have the types, so that a search for a rare one reads no row. */
const TABLES = `
  CREATE TABLE state (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    epoch TEXT NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    pruned_through INTEGER,
    pruned_entries INTEGER
  );
  CREATE TABLE entries (position INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, user TEXT, application TEXT);
  CREATE INDEX entries_user ON entries (user, position, type) WHERE user IS NOT NULL;
  CREATE INDEX entries_application ON entries (application, position, type) WHERE application IS NOT NULL;
  CREATE INDEX entries_at ON entries (at);
  CREATE INDEX entries_type ON entries (type);
  CREATE TABLE refusals (
    position INTEGER NOT NULL,
    reason TEXT NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (position, reason)
  ) WITHOUT ROWID;
  CREATE INDEX refusals_reason ON refusals (reason);
${COUNT_TABLES}`

/** Of a running program: other writers need milliseconds. */
const BUSY_TIMEOUT_MS = 5_000

/** The indexes of a log are written all over. SQLite takes this memory only as it needs it. */
const CACHE_KIB = 64 * 1024

/** 64 MiB. A page of the log changes pages all over an index, and most of them again with the next one. */
const WAL_PAGES = 16_000

const opened = (path: string, onRebuild: () => void): Database.Database => {
  const db = connect(path, { timeout: BUSY_TIMEOUT_MS, fileMustExist: true })
  try {
    makePrivate(path)
    db.pragma('secure_delete = ON') // pruned entries leave no trace
    // Before the switch to WAL, so that the file itself says whose it is.
    const laidOut = db.transaction(() => layOut(db))
    if (laidOut.immediate() === 'again') onRebuild()
    retryWhileBusy(() => db.pragma('journal_mode = WAL'))
    db.pragma('synchronous = NORMAL') // a lost commit is read from the log again
    db.pragma(`wal_autocheckpoint = ${WAL_PAGES}`)
    db.pragma('trusted_schema = OFF')
    db.pragma('temp_store = MEMORY')
    db.pragma(`cache_size = -${CACHE_KIB}`)
    if (statSync(path).size <= CHECKED_MAX_BYTES && db.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw Object.assign(new Error('damaged'), { code: 'SQLITE_CORRUPT' })
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** The check reads every page. Up to this size it takes milliseconds. */
const CHECKED_MAX_BYTES = 32 * 1024 * 1024

/** Makes the tables in a new file, and in one of another schema. */
const layOut = (db: Database.Database): 'new' | 'again' | 'known' => {
  const isMarked = db.pragma('application_id', { simple: true }) === APPLICATION_ID
  if (isMarked && db.pragma('user_version', { simple: true }) === SCHEMA) return 'known'
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  for (const table of tables) db.exec(`DROP TABLE "${table}"`)
  db.exec(TABLES)
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${SCHEMA}`)
  return tables.length > 0 ? 'again' : 'new'
}

/** Whether the file is a read model, also if it is damaged behind its header. SQLite reads one that this process has open. */
const isOurs = (path: string): boolean => {
  const header = headerOf(path)
  if (header !== undefined) return isOfSqlite(header) && header.readUInt32BE(MARK_AT) === APPLICATION_ID
  const db = connect(path, { readonly: hasJournal(path), fileMustExist: true })
  try {
    return db.pragma('application_id', { simple: true }) === APPLICATION_ID
  } finally {
    db.close()
  }
}

/** The place of the application id in a database file. */
const MARK_AT = 68

const FOREIGN = 'it is not a read model. Name another file in READ_MODEL, or delete this one.'

/** What is wrong with a file, as the end of a sentence. */
export const messageOf = (error: unknown): string => {
  if (error instanceof UnusableFile || error instanceof DriverMismatch) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^(?:SQLITE_(?:READONLY|CANTOPEN)|EACCES|EPERM|EROFS)/.test(code))
    return 'this user may not write there. Delete the file if another user made it, or name one in READ_MODEL that this user may write.'
  if (code.startsWith('SQLITE_BUSY')) return 'another process has locked it. Try again later.'
  return `${code === '' ? 'SQLite could not be loaded' : code}. Check the file and the disk, delete it, or name another one in READ_MODEL.`
}
