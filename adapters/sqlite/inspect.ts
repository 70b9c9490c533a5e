import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Finding } from '../../application/ports/inspection.ts'
import { reasonOf } from './group-commit.ts'

/** How the database file is, found out beside a service that may be using it and without changing anything. */
export const inspectSqlite = (path: string): ReadonlyArray<Finding> => {
  if (!existsSync(path)) {
    const detail = `there is no file ${path}. A service makes it when it starts; else look at DATABASE_URL.`
    return [{ name: 'store', ok: false, detail }]
  }
  return [permissions(path), disk(path), integrity(path)]
}

const permissions = (path: string): Finding => {
  const open = [path, `${path}-wal`, `${path}-shm`].filter(
    (file) => ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  )
  const folder = dirname(path)
  const isShared = (statSync(folder).mode & 0o022) !== 0
  const wrong = [
    ...open.map((file) => `others may read or write ${file}: chmod 600 it.`),
    ...(isShared ? [`others may write to the folder ${folder}: chmod 700 it.`] : []),
  ]
  return {
    name: 'permissions',
    ok: wrong.length === 0,
    detail: wrong.join(' ') || 'nobody else may read it.',
  }
}

const disk = (path: string): Finding => {
  const { bavail, bsize } = statfsSync(dirname(path))
  const free = Math.floor((bavail * bsize) / MIB)
  const size = Math.ceil(statSync(path).size / MIB)
  const detail = `${free} MiB are free, and the store has ${size} MiB.`
  return free >= ENOUGH_MIB
    ? { name: 'disk', ok: true, detail }
    : { name: 'disk', ok: false, detail: `${detail} Make room: on a full disk nothing can be written.` }
}

const integrity = (path: string): Finding => {
  try {
    // What a service that died left beside the file stays for the next start. Where nothing was left, a connection that
    // may only read would leave files of its own behind.
    const readonly = ['-wal', '-journal'].some((end) => existsSync(`${path}${end}`))
    const db = new Database(path, { readonly, fileMustExist: true, timeout: PATIENCE_MS })
    try {
      db.pragma('query_only = ON')
      const found = db.pragma('quick_check(1)', { simple: true })
      return found === 'ok'
        ? { name: 'store', ok: true, detail: 'SQLite finds the file whole.' }
        : { name: 'store', ok: false, detail: 'SQLite finds the file damaged. Restore it from a back-up.' }
    } finally {
      db.close()
    }
  } catch (error) {
    const detail = `SQLite cannot read the file (${reasonOf(error)}). Is it the right one? Else restore it from a back-up.`
    return { name: 'store', ok: false, detail }
  }
}

const MIB = 1024 * 1024

/** Room for the write-ahead log at its longest, and for a day to notice. */
const ENOUGH_MIB = 100

const PATIENCE_MS = 2_000
