import { existsSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { StoreOpening } from '../../../application/ports/storage.ts'
import { TABLES } from '../../../application/ports/store.ts'
import { fileUrl } from '../../config/files/program-files.ts'
import { type Migrations, migrationsIn, schemaProblem, UNRELEASED } from '../records/migrations.ts'
import { NoStore } from '../records/no-store.ts'
import { markUnbegun } from './copy-state.ts'
import { createPrivately, makePrivate, UnusableFile } from './database-file.ts'
import { connect, DriverMismatch } from './driver.ts'

/**
 * Opens the database file. New folders get the mode 0700, the file 0600.
 *
 * @param options.isChecked false skips the check for damage, if another connection of this process has done it
 * @param options.migrations those of this version, except in tests
 * @throws NoStore if a store must exist, and there is none
 * @throws Error with one sentence for operators when the file cannot be used
 */
export const openDatabase = (
  path: string,
  {
    opening = 'migrate',
    isChecked = true,
    migrations = migrationsIn(MIGRATIONS),
  }: Readonly<{ opening?: StoreOpening; isChecked?: boolean; migrations?: Migrations }> = {},
): Database.Database => {
  if (['existing', 'read-only'].includes(opening) && !existsSync(path))
    throw new NoStore(
      `There is no store ${path}. Run this command in the folder of the service, or check DATABASE_URL.`,
    )
  try {
    const isReadOnly = opening === 'read-only'
    if (!isReadOnly) createPrivately(path, 'DATABASE_URL')
    const readonly = isReadOnly && hasJournal(path)
    const db = connect(path, { timeout: START_TIMEOUT_MS, fileMustExist: true, readonly })
    try {
      retryWhileBusy(() => {
        refuseForeign(db)
        if (opening === 'existing') expectStore(db)
        if (isReadOnly) db.pragma('query_only = ON')
        else {
          makePrivate(path)
          configure(db)
          if (opening === 'existing') {
            db.pragma(`cache_size = -${CACHE_KIB}`)
            db.pragma(`wal_autocheckpoint = ${WAL_PAGES_OF_COMMAND}`)
          }
          migrate(db, { opening, migrations })
        }
        expectSchema(db, migrations.length)
      })
      if (isChecked) expectUndamaged(db, path)
      db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    const sentence = `The database ${path} cannot be used: ${messageOf(error)}`
    throw error instanceof NoStore ? new NoStore(sentence) : new Error(sentence)
  }
}

/**
 * Whether a WAL or journal exists beside the file, of a running service or after a crash. Then only a read-only
 * connection leaves it untouched. Without one, a read-only connection would create such files and leave them behind.
 */
export const hasJournal = (path: string): boolean =>
  ['-wal', '-journal'].some((end) => existsSync(`${path}${end}`))

/** Another process may be migrating. */
const START_TIMEOUT_MS = 5_000
const START_RETRY_MS = 20

/** SQLite waits by blocking the whole process. So it waits briefly, and the writer retries with a timer. */
const BUSY_TIMEOUT_MS = 20

/**
 * Commits checkpoint only if the WAL exceeds this many pages of 4 KiB, which the regular checkpoint normally prevents.
 * After a burst, the file is truncated again.
 */
const WAL_MAX_PAGES = 4_000
const WAL_KEPT_BYTES = 16 * 1024 * 1024

/** A command checkpoints what it writes with its commits: otherwise the service beside it would do so, while requests wait. */
const WAL_PAGES_OF_COMMAND = 500

/** For commands: an import writes all over the indexes. SQLite takes this memory only as it reads pages. A service does with less. */
const CACHE_KIB = 64 * 1024

/** Marks a file as a store of Portcullis: "PCLS" in ASCII. */
const APPLICATION_ID = 0x50434c53

/** Versions before the first release have marked their files so: "PORT". */
const UNRELEASED_ID = 0x504f5254

/** The check reads every page. Up to this size it takes milliseconds. */
const CHECKED_AT_START_MAX_BYTES = 32 * 1024 * 1024

const MIGRATIONS = fileUrl('stores/sqlite/migrations/')

/** Several processes may start on one file, and SQLite does not wait for the lock that switching to WAL takes. */
export const retryWhileBusy = (step: () => void): void => {
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
  // In this order: another process creates its tables and marks the file in the same transaction.
  const isNew = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
  if (!belongsToUs(db) && !isNew)
    throw new UnusableFile('it belongs to another program. Name another file in DATABASE_URL.')
}

/**
 * Whether Portcullis has created this database.
 *
 * @throws UnusableFile if a version before the first release has created it
 */
export const belongsToUs = (db: Database.Database): boolean => {
  const id = db.pragma('application_id', { simple: true })
  if (id === UNRELEASED_ID) throw new UnusableFile(UNRELEASED)
  return id === APPLICATION_ID
}

/**
 * WAL, so that readers and the writer do not block each other. FULL, because NORMAL, the default under WAL, can lose
 * acknowledged commits when the power fails. Both are read back, because SQLite may refuse silently.
 *
 * secure_delete overwrites replaced secrets. When SQLite splits a page, a trace (mostly of an e-mail) may remain in an
 * unused part until VACUUM.
 *
 * temp_store keeps the pages before a change in memory. In temporary files they would be written twice, and outside the folder of the
 * store.
 */
const configure = (db: Database.Database): void => {
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('trusted_schema = OFF')
  db.pragma('secure_delete = ON')
  db.pragma('temp_store = MEMORY')
  db.pragma(`wal_autocheckpoint = ${WAL_MAX_PAGES}`)
  db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`)
  if (
    db.pragma('journal_mode', { simple: true }) !== 'wal' ||
    db.pragma('synchronous', { simple: true }) !== 2
  ) {
    throw new UnusableFile(
      'SQLite cannot use WAL with synchronous=FULL there, so that changes would not be durable. Use a local file system.',
    )
  }
}

const schemaOf = (db: Database.Database): number => Number(db.pragma('user_version', { simple: true }))

const migrate = (
  db: Database.Database,
  { opening, migrations }: Readonly<{ opening: StoreOpening; migrations: Migrations }>,
): void => {
  const run = db.transaction(() => {
    const isNew = schemaOf(db) === 0
    for (const [index, { sql }] of migrations.entries()) {
      if (index < schemaOf(db)) continue
      db.exec(sql)
      db.pragma(`user_version = ${index + 1}`)
    }
    if (isNew && opening === 'copy-target') markUnbegun(db)
    db.pragma(`application_id = ${APPLICATION_ID}`)
  })
  if (schemaOf(db) < migrations.length) run.immediate()
}

const expectStore = (db: Database.Database): void => {
  if (schemaOf(db) === 0)
    throw new NoStore('it is empty: no service has used it, or a copy was interrupted. Check DATABASE_URL.')
}

const expectSchema = (db: Database.Database, expected: number): void => {
  expectStore(db)
  const problem = schemaProblem(schemaOf(db), expected)
  if (problem !== undefined) throw new UnusableFile(problem)
  const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").pluck()
  const missing = [
    'log',
    'log_epoch',
    'tree',
    'tiles',
    ...TABLES,
    'password_schemes',
    'failure_counts',
    'mails',
    'protocol_state',
    'server_notes',
  ].filter((table) => isThere.get(table) === undefined)
  if (missing.length > 0)
    throw new UnusableFile(`it lacks the table ${missing.join(', ')}. Restore it from a back-up.`)
}

const expectUndamaged = (db: Database.Database, path: string): void => {
  if (statSync(path).size > CHECKED_AT_START_MAX_BYTES) return
  const found = db.pragma('quick_check(1)', { simple: true })
  if (found !== 'ok') throw new UnusableFile(DAMAGED)
}

const DAMAGED = 'it is damaged. Restore it from a back-up, or name another file in DATABASE_URL.'

/** Shared by all who open or inspect the file. */
export const MAY_NOT_WRITE =
  'this user may not write it. Change its owner or mode, or name another file in DATABASE_URL.'

const messageOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code.split('_').slice(0, 2).join('_')) {
    case 'SQLITE_NOTADB':
      return 'it is not a SQLite database. Restore it from a back-up, or name another file in DATABASE_URL.'
    case 'SQLITE_CORRUPT':
      return DAMAGED
    case 'SQLITE_BUSY':
      return 'another process has locked it. Stop that process, or try again later.'
    case 'SQLITE_READONLY':
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return MAY_NOT_WRITE
    case '':
      return error instanceof UnusableFile || error instanceof NoStore || error instanceof DriverMismatch
        ? error.message
        : 'SQLite could not be loaded. Install the dependencies again (npm ci) with this version of Node.'
    default:
      return `${code}. Check the file, its folder and the disk, or name another file in DATABASE_URL.`
  }
}
