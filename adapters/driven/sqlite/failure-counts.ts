import { isLeft, right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { Clock } from '../../../application/ports/environment.ts'
import { type FailureCounts, KEPT_AT_MOST } from '../../../application/ports/failure-counts.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { Failures } from '../../../domain/throttle.ts'
import { Integer } from '../records/columns.ts'
import { STORE_CLOSED, unavailable } from '../records/unavailable.ts'
import { openDatabase } from './database.ts'
import { groupCommit } from './group-commit.ts'

/**
 * Failure counts in the SQLite file of the store, on a separate connection that opens when first needed. A power
 * failure may lose the last counts, because they do not wait for the disk. It never loses a change of the store.
 *
 * @param keptAtMost the number of keys, which may be exceeded briefly between two checks
 */
export const sqliteFailureCounts = (path: string, clock: Clock, keptAtMost = KEPT_AT_MOST): FailureCounts => {
  let closed = false
  let opened: Table | undefined

  return {
    update: (key, decide) => async () => {
      if (closed) return STORE_CLOSED
      try {
        opened ??= openTable(path, clock, keptAtMost)
      } catch (error) {
        return unavailable(error instanceof Error ? error.message : 'its failure counts cannot be opened')
      }
      return opened.update(key, decide)()
    },
    close: async () => {
      closed = true
      await opened?.close()
    },
  }
}

type Table = FailureCounts
type Known = O.Option<Failures>
type Step = Readonly<{ key: string; next: (known: Known) => Known }>

const openTable = (path: string, clock: Clock, keptAtMost: number): Table => {
  const db = openDatabase(path, { isChecked: false })
  db.pragma('synchronous = NORMAL')
  const statement = {
    read: db.prepare('SELECT count, refused_until, forgotten_from FROM failure_counts WHERE key = ?'),
    write: db.prepare(
      `INSERT INTO failure_counts (key, count, refused_until, forgotten_from) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET
         count = excluded.count, refused_until = excluded.refused_until, forgotten_from = excluded.forgotten_from`,
    ),
    remove: db.prepare('DELETE FROM failure_counts WHERE key = ?'),
    removeForgotten: db.prepare(
      `DELETE FROM failure_counts WHERE key IN
         (SELECT key FROM failure_counts WHERE forgotten_from <= ? ORDER BY forgotten_from LIMIT ?)`,
    ),
    removeBeyond: db.prepare(
      `DELETE FROM failure_counts WHERE key IN
         (SELECT key FROM failure_counts ORDER BY forgotten_from
          LIMIT max(0, (SELECT count(*) FROM failure_counts) - ?))`,
    ),
  }
  let written = 0

  /** Deletes a few expired rows with each write, and the excess from time to time. */
  const tidy = (): void => {
    statement.removeForgotten.run(clock(), FORGOTTEN_AT_ONCE)
    if (written % WRITES_BETWEEN_COUNTS === 0) statement.removeBeyond.run(keptAtMost)
    written += 1
  }

  const apply = ({ key, next }: Step): undefined => {
    const columns = Row.decode(statement.read.get(key))
    const known = isLeft(columns) ? O.none : O.some(failuresIn(columns.right)) // an unreadable row counts as no failures
    const kept = next(known)
    if (kept === known) return
    if (O.isNone(kept)) statement.remove.run(key)
    else {
      const { count, refusedUntil, forgottenFrom } = kept.value
      statement.write.run(key, count, refusedUntil, forgottenFrom)
      tidy()
    }
  }

  const steps = groupCommit<Step, never>({
    db,
    open: () => apply,
    isOneStatement: () => true, // a step that fails half-way leaves correct counts, so that it needs no savepoint
  })

  return {
    update:
      <Answer>(
        key: string,
        decide: (known: Known) => Readonly<{ kept: Known; answer: Answer }>,
      ): TaskEither<StoreUnavailable, Answer> =>
      async () => {
        let decided: Answer[] = []
        const next = (known: Known): Known => {
          const { kept, answer } = decide(known)
          decided = [answer]
          return kept
        }
        const written = await steps.commit({ key, next })()
        if (isLeft(written)) return written
        const [answer] = decided
        return right(answer as Answer) // every committed step was decided
      },
    close: async () => {
      await steps.drained()
      db.close()
    },
  }
}

const Row = t.strict({ count: Integer, refused_until: Integer, forgotten_from: Integer })

const failuresIn = (row: t.TypeOf<typeof Row>): Failures => ({
  count: row.count,
  refusedUntil: row.refused_until,
  forgottenFrom: row.forgotten_from,
})

/** More than one write can add, so that expired rows do not pile up. */
const FORGOTTEN_AT_ONCE = 8

const WRITES_BETWEEN_COUNTS = 1_000
