import type Database from 'better-sqlite3'
import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { unavailable } from '../records/unavailable.ts'
import { reasonOf } from './group-commit.ts'

type Outcome<A> = E.Either<StoreUnavailable, A>

/**
 * Runs the reads of one turn of the event loop together, in one read transaction. They share the locks of SQLite, and the requests
 * behind them continue together, so that each stage of a request runs for all of them while its code is in the CPU's caches.
 *
 * A read begins after its call, so it is never stale. A row that cannot be read fails only its own caller.
 */
export const groupedReads = (db: Database.Database) => {
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  const waiting: Array<() => void> = []

  const runAll = (): void => {
    const reads = waiting.splice(0, MAX_READS)
    if (waiting.length > 0) setImmediate(runAll)
    if (reads.length > 1) tryTo(begin)
    for (const run of reads) run()
    if (db.inTransaction) tryTo(commit)
  }

  return <A>(query: () => Outcome<A>): TaskEither<StoreUnavailable, A> =>
    () =>
      new Promise((answer) => {
        waiting.push(() => answer(attempt(query)))
        if (waiting.length === 1) setImmediate(runAll)
      })
}

/** Other work of the process waits until they have run. */
const MAX_READS = 256

/** Fails with the code of SQLite if the query throws. */
export const attempt = <A>(query: () => Outcome<A>): Outcome<A> => {
  try {
    return query()
  } catch (error) {
    return unavailable(reasonOf(error))
  }
}

/**
 * Without a shared transaction each read has its own, and reports its own failure. A transaction that cannot end now ends after the
 * next reads, or before the next write.
 */
const tryTo = (statement: Database.Statement): void => {
  try {
    if (statement.database.open) statement.run()
  } catch {}
}
