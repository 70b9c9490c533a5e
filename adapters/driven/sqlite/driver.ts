import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'

/**
 * Connects to a database file.
 *
 * @throws Error with what SQLite says, or `DriverMismatch` when Node cannot load the driver or would end with it
 */
export const connect = (path: string, options: Database.Options): Database.Database => {
  if (MISMATCH !== undefined) throw new DriverMismatch(MISMATCH)
  try {
    return new Database(path, options)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_DLOPEN_FAILED')
      throw new DriverMismatch(OTHER_BUILD)
    throw error
  }
}

/** Its message is a sentence for operators. */
export class DriverMismatch extends Error {}

/**
 * What is wrong with this driver on this Node, if anything: 13 ends the process on Node 20, and 12 now and then on Node 24, as
 * garbage is collected. Whoever installs by a lock file, or for another Node, may have either.
 *
 * @param node and `driver` are versions: 20.19.0
 */
export const mismatchOf = (node: string, driver: string): string | undefined => {
  const [nodeMajor, driverMajor] = [node, driver].map((version) => Number.parseInt(version, 10))
  const needed =
    nodeMajor === 24 && driverMajor === 12 ? 13 : nodeMajor === 20 && driverMajor === 13 ? 12 : undefined
  return needed === undefined
    ? undefined
    : `better-sqlite3 ${driver} ends the process on Node ${node}. Install another one: npm install better-sqlite3@${needed}`
}

const DRIVER = JSON.parse(
  readFileSync(fileURLToPath(import.meta.resolve('better-sqlite3/package.json')), 'utf8'),
)

const MISMATCH = mismatchOf(process.versions.node, DRIVER.version)

const OTHER_BUILD = `better-sqlite3 ${DRIVER.version} does not load on Node ${process.versions.node}: it was built for another version of Node or another machine. Run: npm rebuild better-sqlite3`
