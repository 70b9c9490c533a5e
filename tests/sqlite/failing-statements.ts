import Database from 'better-sqlite3'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { Store } from '../../application/ports/store.ts'

/** When one run of a statement fails: before it has an effect, or after its full effect. */
export type Failure = Readonly<{ sql: Failing; when: 'before' | 'after'; code: string }>

const FAILING = ['BEGIN IMMEDIATE', 'INSERT INTO log', 'COMMIT'] as const
type Failing = (typeof FAILING)[number]

/** A store on this file whose chosen statements each fail once. */
export const storeWithFailures = (
  path: string,
  options: Parameters<typeof sqliteStore>[1] = {},
): Readonly<{ store: Store; next: (failure: Failure) => void }> => {
  const failures: Array<Failure> = []
  const { prepare } = Database.prototype
  Database.prototype.prepare = function (this: Database.Database, sql: string) {
    const statement = prepare.call(this, sql) as Database.Statement<Array<unknown>>
    const name = FAILING.find((beginning) => sql.startsWith(beginning))
    if (name === undefined) return statement
    const run = (...values: ReadonlyArray<unknown>) => {
      const at = failures.findIndex((failure) => failure.sql === name)
      const [failure] = at < 0 ? [] : failures.splice(at, 1)
      const done = failure?.when === 'before' ? undefined : statement.run(...values)
      if (failure !== undefined) throw new Database.SqliteError('disk I/O error', failure.code)
      return done
    }
    return { run } as unknown as Database.Statement
  } as typeof prepare
  try {
    return { store: sqliteStore(path, options), next: (failure) => failures.push(failure) }
  } finally {
    Database.prototype.prepare = prepare
  }
}
