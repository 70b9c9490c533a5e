import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Finding } from '../../../application/ports/inspection.ts'
import { hasJournal, MAY_NOT_WRITE } from './database.ts'
import { UnusableFile } from './database-file.ts'
import { connect, DriverMismatch } from './driver.ts'
import { reasonOf } from './group-commit.ts'
import { filesOf, foreignFiles, missingRights } from './rights.ts'

/** Findings about the database file. It changes nothing, and is safe beside a running service. */
export const inspectSqlite = (path: string): ReadonlyArray<Finding> => {
  const lacking = missingRights(path)
  if (!existsSync(path) && lacking.length === 0) {
    const detail = `there is no file ${path}. A service creates it when it starts. If one has run, check DATABASE_URL.`
    return [{ name: 'store', ok: false, detail }]
  }
  // Opening the file would fail and suggest a restore, although the file is intact.
  if (lacking.length > 0) {
    const rights: Finding = { name: 'permissions', ok: false, detail: lacking.join(' ') }
    return [rights, { name: 'store', ok: false, detail: MAY_NOT_WRITE }]
  }
  return [permissions(path), disk(path), integrity(path)]
}

const permissions = (path: string): Finding => {
  const open = filesOf(path).filter(
    (file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  )
  const folder = dirname(path)
  const isShared = (statSync(folder).mode & 0o022) !== 0
  const wrong = [
    ...open.map((file) => `others may read or write ${file}: chmod 600 it.`),
    ...(isShared ? [`others may write to the folder ${folder}: chmod 700 it.`] : []),
    ...foreignFiles(path),
  ]
  return {
    name: 'permissions',
    ok: wrong.length === 0,
    detail: wrong.join(' ') || 'no other user may read it.',
  }
}

const disk = (path: string): Finding => {
  const { bavail, bsize } = statfsSync(dirname(path))
  const free = Math.floor((bavail * bsize) / MIB)
  const waiting = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const size = Math.ceil((statSync(path).size + waiting) / MIB)
  const detail = `${free} MiB are free, and the store takes ${size} MiB.`
  if (waiting > LONG_WAL_BYTES) {
    const why = `Its write-ahead log has grown to ${Math.ceil(waiting / MIB)} MiB: a process reads it without end, or the file cannot be written.`
    return { name: 'disk', ok: false, detail: `${detail} ${why}` }
  }
  return free >= ENOUGH_MIB
    ? { name: 'disk', ok: true, detail }
    : { name: 'disk', ok: false, detail: `${detail} Free disk space: nothing can be written to a full disk.` }
}

const integrity = (path: string): Finding => {
  try {
    const db = connect(path, { readonly: hasJournal(path), fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
    try {
      db.pragma('query_only = ON')
      const found = db.pragma('quick_check(1)', { simple: true })
      return found === 'ok'
        ? { name: 'store', ok: true, detail: 'SQLite finds no damage.' }
        : { name: 'store', ok: false, detail: 'the file is damaged. Restore it from a back-up.' }
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof DriverMismatch || error instanceof UnusableFile)
      return { name: 'store', ok: false, detail: error.message }
    const detail = `SQLite cannot read the file (${reasonOf(error)}). Check DATABASE_URL, or restore the file from a back-up.`
    return { name: 'store', ok: false, detail }
  }
}

const MIB = 1024 * 1024

/** A running service keeps its WAL below a quarter of this. */
const LONG_WAL_BYTES = 256 * MIB

/** Room for the longest WAL, and a day to react. */
const ENOUGH_MIB = 100

const BUSY_TIMEOUT_MS = 2_000
