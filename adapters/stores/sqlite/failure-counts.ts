import type Database from 'better-sqlite3'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import type { Clock } from '../../../application/ports/environment.ts'
import {
  type CountKey,
  type CountKind,
  type FailureCounts,
  KEPT_AT_MOST,
} from '../../../application/ports/failure-counts.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import type { Failures } from '../../../domain/throttle.ts'
import { Integer } from '../records/columns.ts'
import { digestOfKey } from '../records/count-key.ts'
import { STORE_CLOSED, unavailable } from '../records/unavailable.ts'
import { openDatabase } from './database.ts'
import { groupCommit, reasonOf } from './group-commit.ts'

/**
 * Failure counts in the SQLite file of the store, on a separate connection that opens when first needed, or before with `open`. A
 * power failure may lose the last counts, because they do not wait for the disk. It never loses a change of the store.
 *
 * @param keptAtMost the number of keys of each kind, which may be exceeded briefly
 * @param onFailed called after each transaction that failed
 */
export const sqliteFailureCounts = (
  path: string,
  clock: Clock,
  keptAtMost = KEPT_AT_MOST,
  onFailed: () => void = () => {},
): SqliteFailureCounts => {
  let closed = false
  let opened: Table | undefined
  const open = (): Table => {
    opened ??= openTable(path, clock, keptAtMost, onFailed)
    return opened
  }

  return {
    open,
    update: (counted, decide) => async () => {
      if (closed) return STORE_CLOSED
      let table: Table
      try {
        table = open()
      } catch (error) {
        return unavailable(error instanceof Error ? error.message : 'its failure counts cannot be opened')
      }
      return table.update(counted, decide)()
    },
    close: async () => {
      closed = true
      await opened?.close()
    },
  }
}

export type SqliteFailureCounts = FailureCounts &
  Readonly<{
    /** @throws Error with one sentence for operators when the counts cannot be opened */
    open: () => void
  }>

type Table = FailureCounts
type Known = O.Option<Failures>
/** The rows of a kind, as far as this process knows, and its writes since it has counted them. */
type Room = { rows: number; writes: number }
type Step = Readonly<{ counted: CountKey; next: (known: Known) => Known }>

const openTable = (
  path: string,
  clock: Clock,
  keptAtMost: typeof KEPT_AT_MOST,
  onFailed: () => void,
): Table => {
  const db = openDatabase(path, { isChecked: false })
  try {
    return tableIn(db, clock, keptAtMost, onFailed)
  } catch (error) {
    db.close()
    throw new Error(
      `The database ${path} cannot be used: its failure counts cannot be opened (${reasonOf(error)}). Restore it from a back-up.`,
    )
  }
}

const tableIn = (
  db: Database.Database,
  clock: Clock,
  keptAtMost: typeof KEPT_AT_MOST,
  onFailed: () => void,
): Table => {
  db.pragma('synchronous = NORMAL')
  const statement = {
    read: db.prepare('SELECT count, refused_until, forgotten_from FROM failure_counts WHERE key = ?'),
    write: db.prepare(WRITE),
    remove: db.prepare('DELETE FROM failure_counts WHERE key = ?'),
    removeForgotten: db.prepare<[string, number, number]>(REMOVE_FORGOTTEN),
    removeFirst: db.prepare<[string, number]>(REMOVE_FIRST),
    rows: db.prepare<[string], number>('SELECT count(*) FROM failure_counts WHERE kind = ?').pluck(),
  }
  const rooms = new Map<CountKind, Room>()
  let isUnsure = false

  /** Counting reads all rows of the kind, so it is rare. It finds what other processes have written. */
  const roomOf = (kind: CountKind): Room => {
    const known = rooms.get(kind)
    if (known !== undefined && known.writes < keptAtMost[kind]) return known
    const counted = { rows: statement.rows.get(kind) ?? 0, writes: 0 }
    rooms.set(kind, counted)
    return counted
  }

  /** Deletes a few expired rows of the kind with each write, and its excess together. */
  const tidy = (kind: CountKind, room: Room): void => {
    const most = keptAtMost[kind]
    room.rows -= statement.removeForgotten.run(kind, clock(), FORGOTTEN_AT_ONCE).changes
    if (room.rows > most + Math.min(EXCESS, most / 10))
      room.rows -= statement.removeFirst.run(kind, room.rows - most).changes
  }

  const apply = ({ counted: { kind, key }, next }: Step): undefined => {
    const columns = Row.decode(statement.read.get(key))
    const known = isLeft(columns) ? O.none : O.some(failuresIn(columns.right)) // an unreadable row counts as no failures
    const kept = next(known)
    if (kept === known) return
    const room = roomOf(kind)
    if (O.isNone(kept)) room.rows -= statement.remove.run(key).changes
    else {
      const { count, refusedUntil, forgottenFrom } = kept.value
      statement.write.run(key, kind, count, refusedUntil, forgottenFrom)
      room.rows += O.isNone(known) ? 1 : 0
      room.writes += 1
      tidy(kind, room)
    }
  }

  const steps = groupCommit<Step, never>({
    db,
    open: () => {
      if (isUnsure) rooms.clear() // the transaction before this one was rolled back
      isUnsure = true
      return apply
    },
    onCommitted: () => {
      isUnsure = false
    },
    onFailed,
  })

  return {
    update:
      <Answer>(
        { kind, key }: CountKey,
        decide: (known: Known) => Readonly<{ kept: Known; answer: Answer }>,
      ): TaskEither<StoreUnavailable, Answer> =>
      async () => {
        let decided: Answer[] = []
        const next = (known: Known): Known => {
          const { kept, answer } = decide(known)
          decided = [answer]
          return kept
        }
        const written = await steps.commit({ counted: { kind, key: digestOfKey(key) }, next })()
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

const WRITE = `
  INSERT INTO failure_counts (key, kind, count, refused_until, forgotten_from) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET
    kind = excluded.kind, count = excluded.count,
    refused_until = excluded.refused_until, forgotten_from = excluded.forgotten_from`

export const REMOVE_FORGOTTEN = `
  DELETE FROM failure_counts WHERE key IN
    (SELECT key FROM failure_counts WHERE kind = ? AND (count > 1) IN (0, 1) AND forgotten_from <= ? LIMIT ?)`

export const REMOVE_FIRST = `
  DELETE FROM failure_counts WHERE key IN
    (SELECT key FROM failure_counts WHERE kind = ? ORDER BY count > 1, forgotten_from LIMIT ?)`

/** More than one write can add, so that expired rows do not pile up. */
const FORGOTTEN_AT_ONCE = 8

/**
 * So many rows above the limit go together. Few do not block the process. One at a time would drop each new key before its second
 * failure once all other keys have two.
 */
const EXCESS = 250
