import type Database from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { unavailable } from '../records/unavailable.ts'
import { withoutWaiting } from './driver.ts'

type Apply<Change, Rejection> = (change: Change) => Rejection | undefined

/**
 * Commits changes that wait together in one transaction, so that they share one fsync.
 *
 * A refused change leaves no trace and does not affect the others: if there is one, all are rolled back and written again, each
 * with a savepoint. Few are refused, and a savepoint copies every page that its change writes. No change is answered before
 * COMMIT returns. This includes refused ones, because the change that they conflict with may be rolled back.
 *
 * @param open called first in every transaction with its changes. It returns a function that writes one change, or
 *   returns why not. What SQLite throws there rolls the change back
 * @param onCommitted called after each transaction with the number of its changes
 * @param onFailed called after each transaction that failed
 */
export const groupCommit = <Change, Rejection>({
  db,
  open,
  onCommitted = () => {},
  onFailed = () => {},
}: Readonly<{
  db: Database.Database
  open: (changes: ReadonlyArray<Change>) => Apply<Change, Rejection>
  onCommitted?: ((changes: number) => void) | undefined
  onFailed?: (() => void) | undefined
}>) => {
  type Outcome = E.Either<Rejection | StoreUnavailable, void>
  type Waiting = Readonly<{ change: Change; answer: (outcome: Outcome) => void }>

  const statement = {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollback: db.prepare('ROLLBACK'),
    savepoint: db.prepare('SAVEPOINT change'),
    release: db.prepare('RELEASE change'),
    rollbackTo: db.prepare('ROLLBACK TO change'),
  }
  const immediately = withoutWaiting(db)
  const waiting: Array<Waiting> = []
  const whenDrained: Array<() => void> = []
  let scheduled = false
  let lockedSince: number | undefined

  const writeBatch = (): void => {
    const batch = waiting.slice(0, MAX_BATCH)
    const outcomes = write(batch)
    if (outcomes === 'locked') {
      setTimeout(writeBatch, RETRY_AFTER_MS)
      return
    }
    if (outcomes === 'locked for too long') {
      for (const { answer } of waiting.splice(0)) answer(unavailable('SQLITE_BUSY'))
    } else {
      waiting.splice(0, batch.length)
      for (const [index, { answer }] of batch.entries()) {
        answer(outcomes[index] ?? unavailable('an outcome was lost'))
      }
    }
    scheduled = waiting.length > 0
    if (scheduled) setImmediate(writeBatch)
    else for (const drained of whenDrained.splice(0)) drained()
  }

  const write = (
    batch: ReadonlyArray<Waiting>,
  ): ReadonlyArray<Outcome> | 'locked' | 'locked for too long' => {
    let outcomes: ReadonlyArray<Outcome> | undefined
    try {
      outcomes = writeAll(batch, outcomeOf)
      if (!outcomes.every(E.isRight)) {
        outcomes = undefined
        statement.rollback.run()
        outcomes = writeAll(batch, outcomeOfOne)
      }
      statement.commit.run()
      onCommitted(outcomes.filter(E.isRight).length)
      return outcomes
    } catch (error) {
      if (isBusy(error) && !db.inTransaction) {
        lockedSince ??= performance.now()
        if (performance.now() < lockedSince + LOCK_TIMEOUT_MS) return 'locked'
        lockedSince = undefined
        onFailed()
        return 'locked for too long'
      }
      lockedSince = undefined
      onFailed()
      // On a full disk or an I/O error SQLite may have rolled back itself.
      rollBackIfNeeded()
      const failure = unavailable(reasonOf(error))
      // A failed COMMIT may still be on disk. After SQLITE_FULL it is not, because the end of the transaction had no
      // room.
      if (outcomes === undefined || reasonOf(error) === 'SQLITE_FULL') return batch.map(() => failure)
      overwriteFailedCommit()
      const unknown = E.mapLeft((left: StoreUnavailable) => ({ ...left, outcome: 'unknown' as const }))(
        failure,
      )
      return outcomes.map((outcome) => (E.isRight(outcome) ? unknown : failure))
    }
  }

  /** Begins a transaction and writes all changes. */
  const writeAll = (
    batch: ReadonlyArray<Waiting>,
    writeOne: (change: Change, apply: Apply<Change, Rejection>) => Outcome,
  ): ReadonlyArray<Outcome> => {
    begin()
    const apply = open(batch.map(({ change }) => change))
    return batch.map(({ change }) => writeOne(change, apply))
  }

  /** Timers wait for the lock. */
  const begin = (): void => {
    immediately(() => statement.begin.run())
    lockedSince = undefined
  }

  /**
   * Overwrites what a failed COMMIT has left in the WAL with a transaction that changes nothing. After a crash, the
   * next process would take it for committed.
   */
  const overwriteFailedCommit = (): void => {
    try {
      writeNoOp()
    } catch {
      rollBackIfNeeded()
    }
  }

  const writeNoOp = (prepare: () => unknown = () => {}): void => {
    const schema = db.pragma('user_version', { simple: true })
    statement.begin.run()
    prepare()
    db.pragma(`user_version = ${schema}`)
    statement.commit.run()
  }

  const rollBackIfNeeded = (): void => {
    try {
      if (db.inTransaction) statement.rollback.run()
    } catch {
      // SQLite has rolled back itself. The first error is the one to report.
    }
  }

  /** Undoes a refused change alone. */
  const outcomeOfOne = (change: Change, apply: Apply<Change, Rejection>): Outcome => {
    statement.savepoint.run()
    const outcome = outcomeOf(change, apply)
    if (E.isLeft(outcome)) statement.rollbackTo.run()
    statement.release.run()
    return outcome
  }

  const outcomeOf = (change: Change, apply: Apply<Change, Rejection>): Outcome => {
    try {
      const refusal = apply(change)
      return refusal === undefined ? E.right(undefined) : E.left(refusal)
    } catch (error) {
      // A violated constraint fails only this change. Every other error fails the batch.
      if (db.inTransaction && reasonOf(error).startsWith('SQLITE_CONSTRAINT'))
        return unavailable(reasonOf(error))
      throw error
    }
  }

  return {
    /** Resolves when the change is durable, or has finally failed. */
    commit:
      (change: Change): TaskEither<Rejection | StoreUnavailable, void> =>
      () =>
        new Promise((answer) => {
          if (waiting.length >= MAX_WAITING) return answer(unavailable('too many changes wait for the disk'))
          waiting.push({ change, answer })
          if (scheduled) return
          scheduled = true
          setImmediate(writeBatch)
        }),

    /** Commits a transaction without a change, which costs an fsync. */
    rehearse: (): E.Either<StoreUnavailable, void> => {
      try {
        writeNoOp(() => open([]))
        return E.right(undefined)
      } catch (error) {
        rollBackIfNeeded()
        return unavailable(reasonOf(error))
      }
    },

    /** Resolves when no change waits. */
    drained: (): Promise<void> =>
      new Promise((resolve) => {
        if (scheduled) whenDrained.push(resolve)
        else resolve()
      }),
  }
}

/** Large enough to spread the cost of an fsync, small enough not to block the process. */
const MAX_BATCH = 256

/** About a second of work for a slow disk. Beyond it, the caller gets an error at once. */
const MAX_WAITING = 4_096

/** How long another process may hold the write lock before all waiting changes are refused. */
const LOCK_TIMEOUT_MS = 2_000
const RETRY_AFTER_MS = 10

const isBusy = (error: unknown): boolean => reasonOf(error).startsWith('SQLITE_BUSY')

/** The code of SQLite. Its messages are left out, because they may quote written values. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'an error without a code'
