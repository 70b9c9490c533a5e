import Database from 'better-sqlite3'
import { textOf } from '../../config/files/program-files.ts'
import { refuseForeignLog } from './database-file.ts'

/**
 * Connects to a database file.
 *
 * @throws Error of SQLite, `UnusableFile`, or `DriverMismatch` when this Node.js cannot load the driver or would crash
 */
export const connect = (path: string, options: Database.Options): Database.Database => {
  if (MISMATCH !== undefined) throw new DriverMismatch(MISMATCH)
  refuseForeignLog(path)
  try {
    return new Database(path, options)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_DLOPEN_FAILED')
      throw new DriverMismatch(OTHER_BUILD)
    throw error
  }
}

/** Runs work that fails at once if it needs a lock of another connection. SQLite would wait for the lock by blocking the process. */
export const withoutWaiting = (db: Database.Database) => {
  const wait = db.prepare(`PRAGMA busy_timeout = ${db.pragma('busy_timeout', { simple: true })}`)
  const doNotWait = db.prepare('PRAGMA busy_timeout = 0')
  return <A>(work: () => A): A => {
    doNotWait.get()
    try {
      return work()
    } finally {
      wait.get()
    }
  }
}

/** An error whose message is a sentence for operators. */
export class DriverMismatch extends Error {}

/**
 * Returns why this driver does not work on this Node.js, if so. Version 13 crashes on Node 20. Version 12 crashes on
 * Node 24 during some garbage collections.
 *
 * @param node a version, such as 20.19.0
 * @param driver a version too
 */
export const mismatchOf = (node: string, driver: string): string | undefined => {
  const [nodeMajor, driverMajor] = [node, driver].map((version) => Number.parseInt(version, 10))
  const needed =
    nodeMajor === 24 && driverMajor === 12 ? 13 : nodeMajor === 20 && driverMajor === 13 ? 12 : undefined
  return needed === undefined
    ? undefined
    : `better-sqlite3 ${driver} crashes on Node ${node}. Install another version: npm install better-sqlite3@${needed}`
}

const DRIVER = JSON.parse(textOf(new URL(import.meta.resolve('better-sqlite3/package.json'))))

const MISMATCH = mismatchOf(process.versions.node, DRIVER.version)

const OTHER_BUILD = `better-sqlite3 ${DRIVER.version} does not load on Node ${process.versions.node}: it was built for another version of Node or another machine. Run: npm rebuild better-sqlite3`
