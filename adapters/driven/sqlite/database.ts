import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type Database from 'better-sqlite3'
import { schemeOfRecord } from '../records/password-scheme.ts'
import { ROWS } from '../records/rows.ts'
import { connect, DriverMismatch } from './driver.ts'

/**
 * How a database file is opened. `migrate`: it is created if missing, brought to the schema of this version, and closed to other
 * users. `existing`: the same, but a missing file is an error. `read-only`: neither the file nor its schema changes.
 */
export type Opening = 'migrate' | 'existing' | 'read-only'

/**
 * Opens the database file. New folders get the mode 0700, the file 0600.
 *
 * @param options.isChecked false skips the check for damage: another connection of this process has made it
 * @throws Error with one messageOf for operators when the file cannot be used
 */
export const openDatabase = (
  path: string,
  { opening = 'migrate', isChecked = true }: Readonly<{ opening?: Opening; isChecked?: boolean }> = {},
): Database.Database => {
  if (opening === 'existing' && !existsSync(path))
    throw new Error(
      `There is no store ${path} here. Run this where the service runs, or look at DATABASE_URL.`,
    )
  try {
    const isReadOnly = opening === 'read-only'
    if (!isReadOnly) createPrivately(path)
    const readonly = isReadOnly && hasJournal(path)
    const db = connect(path, { timeout: START_TIMEOUT_MS, fileMustExist: true, readonly })
    try {
      retryWhileBusy(() => {
        refuseForeign(db)
        if (isReadOnly) db.pragma('query_only = ON')
        else {
          makePrivate(path)
          configure(db)
          migrate(db)
        }
        expectSchema(db)
      })
      if (isChecked) expectUndamaged(db, path)
      db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    throw new Error(`The database ${path} cannot be used: ${messageOf(error)}`)
  }
}

/**
 * Whether something lies beside the file that a service at work, or one that died, has not moved into it yet. Only a
 * connection that may not write leaves that where it is; where there is nothing, such a connection would leave files of
 * its own behind.
 */
export const hasJournal = (path: string): boolean =>
  ['-wal', '-journal'].some((end) => existsSync(`${path}${end}`))

/** Another process may be migrating; nothing else waits yet. */
const START_TIMEOUT_MS = 5_000
const START_RETRY_MS = 20

/** SQLite waits by blocking the whole process, so it hardly does; the writer tries again by itself. */
const BUSY_TIMEOUT_MS = 20

/**
 * The regular checkpoint is there first as a rule. Beyond this many pages (of 4 KiB) a commit sees to it, and what a burst
 * made longer is cut again.
 */
const WAL_MAX_PAGES = 4_000
const WAL_KEPT_BYTES = 16 * 1024 * 1024

/** Marks a file as Portcullis's: "PORT" in ASCII. */
const APPLICATION_ID = 0x504f5254

/** A full check reads every page; below this size that is a matter of milliseconds. */
const CHECKED_AT_START_MAX_BYTES = 32 * 1024 * 1024

const MIGRATIONS = new URL('./migrations/', import.meta.url)

/**
 * A file that is not there yet is private from its first moment on, and so is a folder that is made for it. What is no file
 * (a device that the whole machine needs, for one) is not touched.
 */
const createPrivately = (path: string): void => {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there !== undefined && !there.isFile())
    throw new Unusable(`it is ${there.isDirectory() ? 'a folder' : 'no file'}. Name a file in DATABASE_URL.`)
  if (!existsSync(dirname(path))) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
}

/** The file holds signing keys: nobody else on the machine may read it, nor what SQLite lays beside it. */
const makePrivate = (path: string): void => {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600)
  }
}

/** Several processes may start on one file at once, and SQLite does not wait for the lock that WAL begins with. */
const retryWhileBusy = (step: () => void): void => {
  const until = performance.now() + START_TIMEOUT_MS
  for (;;) {
    try {
      step()
      return
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > until) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, START_RETRY_MS)
    }
  }
}

const refuseForeign = (db: Database.Database): void => {
  // In this order: another process may be laying out its tables, and marks the file in the same transaction.
  const isNew = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
  if (!belongsToUs(db) && !isNew) {
    throw new Unusable('it belongs to another program. Name another file in DATABASE_URL.')
  }
}

/** Whether a service of ours has laid this database out. */
export const belongsToUs = (db: Database.Database): boolean =>
  db.pragma('application_id', { simple: true }) === APPLICATION_ID

/**
 * WAL, so that readers and the writer do not wait for each other; FULL, because the build's default under WAL
 * (NORMAL) may lose acknowledged commits when the power fails. Both are read back: a build may refuse silently. What is
 * overwritten (the secret of a retired key, the password of a removed user) does not stay in the file; where SQLite
 * splits a page it may leave a trace in a part that is not used, mostly of an e-mail, until the file is written anew.
 */
const configure = (db: Database.Database): void => {
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('trusted_schema = OFF')
  db.pragma('secure_delete = ON')
  db.pragma(`wal_autocheckpoint = ${WAL_MAX_PAGES}`)
  db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`)
  if (
    db.pragma('journal_mode', { simple: true }) !== 'wal' ||
    db.pragma('synchronous', { simple: true }) !== 2
  ) {
    throw new Unusable('SQLite does not accept WAL with synchronous=FULL there, so nothing would be durable.')
  }
}

const migrationFiles = (): ReadonlyArray<string> =>
  readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort()

const schemaOf = (db: Database.Database): number => Number(db.pragma('user_version', { simple: true }))

const migrate = (db: Database.Database): void => {
  const files = migrationFiles()
  db.function('scheme_of_record', { deterministic: true }, (record) => schemeOfRecord(String(record)))
  const run = db.transaction(() => {
    for (const [index, name] of files.entries()) {
      if (index < schemaOf(db)) continue
      db.exec(readFileSync(new URL(name, MIGRATIONS), 'utf8'))
      db.pragma(`user_version = ${index + 1}`)
    }
    db.pragma(`application_id = ${APPLICATION_ID}`)
  })
  if (schemaOf(db) < files.length) run.immediate()
}

const expectSchema = (db: Database.Database): void => {
  const [found, expected] = [schemaOf(db), migrationFiles().length]
  if (found > expected)
    throw new Unusable(`a newer version of Portcullis wrote it (schema ${found}). Start that version.`)
  if (found === 0)
    throw new Unusable(
      'it is empty: no service has begun on it, or something was cut short. Is it the right file?',
    )
  if (found < expected)
    throw new Unusable(
      `an older version of Portcullis wrote it (schema ${found}). Start this one: it brings it up to date.`,
    )
  const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").pluck()
  const missing = ['log', 'log_epoch', ...Object.keys(ROWS), 'failure_counts'].filter(
    (table) => isThere.get(table) === undefined,
  )
  if (missing.length > 0)
    throw new Unusable(`it lacks the table ${missing.join(', ')}. Restore it from a back-up.`)
}

const expectUndamaged = (db: Database.Database, path: string): void => {
  if (statSync(path).size > CHECKED_AT_START_MAX_BYTES) return
  const found = db.pragma('quick_check(1)', { simple: true })
  if (found !== 'ok') throw new Unusable(DAMAGED)
}

const DAMAGED = 'it is damaged. Restore it from a back-up, or name another file in DATABASE_URL.'

/** What is said of a file whose rights are wrong, whoever looks at it. */
export const MAY_NOT_WRITE =
  'this user may not write it. Change its owner or mode, or name another file in DATABASE_URL.'

/** Its message is a messageOf for operators. */
class Unusable extends Error {}

const messageOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code.split('_').slice(0, 2).join('_')) {
    case 'SQLITE_NOTADB':
      return 'it is no SQLite database. Restore it from a back-up, or name another file in DATABASE_URL.'
    case 'SQLITE_CORRUPT':
      return DAMAGED
    case 'SQLITE_BUSY':
      return 'another process holds it locked. Stop that process, or try again when it is done.'
    case 'SQLITE_READONLY':
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return MAY_NOT_WRITE
    case '':
      return error instanceof Unusable || error instanceof DriverMismatch
        ? error.message
        : 'SQLite could not be loaded. Install the dependencies again (npm ci) with this version of Node.'
    default:
      return `${code}. Look at the file, its folder and the disk, or name another file in DATABASE_URL.`
  }
}
