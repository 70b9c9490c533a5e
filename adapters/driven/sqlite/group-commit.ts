import type Database from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { unavailable } from '../records/unavailable.ts'

type Apply<Change, Rejection> = (change: Change) => Rejection | undefined

/**
 * Commits changes that wait together in one transaction, so that they share one fsync.
 *
 * Each change has a savepoint of its own: one that is refused leaves no trace and does not touch its neighbours.
 * Nobody is answered before COMMIT returned, the refused ones neither, for a refusal may have been judged against
 * a neighbour that is rolled back in the end.
 *
 * @param open is called in every transaction first, with all of its changes; what it returns writes one change, or says why not. It throws what
 *   SQLite throws, and what it wrote before is rolled back then
 * @param isOneStatement whether a change is atomic by itself, and needs no savepoint
 * @param committed hears how many changes each transaction has committed
 */
export const groupCommit = <Change, Rejection>({
  db,
  open,
  isOneStatement,
  onCommitted = () => {},
}: Readonly<{
  db: Database.Database
  open: (changes: ReadonlyArray<Change>) => Apply<Change, Rejection>
  isOneStatement: (change: Change) => boolean
  onCommitted?: ((changes: number) => void) | undefined
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
  const waiting: Array<Waiting> = []
  const whenDrained: Array<() => void> = []
  let scheduled = false
  let lockedSince: number | undefined
  let busyTimeout = 0
  let hasFailed = false

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
      statement.begin.run()
      restoreBusyTimeout()
      const apply = open(batch.map(({ change }) => change))
      outcomes = batch.map(({ change }) => attempt(change, apply))
      statement.commit.run()
      hasFailed = false
      onCommitted(outcomes.filter(E.isRight).length)
      return outcomes
    } catch (error) {
      if (isBusy(error) && !db.inTransaction) {
        if (lockedSince === undefined) {
          // SQLite's own busyTimeout holds the whole process up: once is enough, from here on timers wait.
          lockedSince = performance.now()
          busyTimeout = Number(db.pragma('busy_timeout', { simple: true }))
          db.pragma('busy_timeout = 0')
        }
        if (performance.now() < lockedSince + LOCK_TIMEOUT_MS) return 'locked'
        restoreBusyTimeout()
        hasFailed = true
        return 'locked for too long'
      }
      restoreBusyTimeout()
      hasFailed = true
      // On a full disk or an I/O error SQLite may have rolled everything back by itself.
      rollBackIfNeeded()
      const failure = unavailable(reasonOf(error))
      // What failed in COMMIT itself may be on the disk all the same. A full disk is an exception: there was no room for
      // the mark that ends a transaction.
      if (outcomes === undefined || reasonOf(error) === 'SQLITE_FULL') return batch.map(() => failure)
      overwriteFailedCommit()
      const unknown = E.mapLeft((left: StoreUnavailable) => ({ ...left, outcome: 'unknown' as const }))(
        failure,
      )
      return outcomes.map((outcome) => (E.isRight(outcome) ? unknown : failure))
    }
  }

  const restoreBusyTimeout = (): void => {
    if (lockedSince === undefined) return
    lockedSince = undefined
    db.pragma(`busy_timeout = ${busyTimeout}`)
  }

  /**
   * What a failed COMMIT left in the write-ahead log would be taken for good by whoever opens the file after a crash of this
   * process. Another transaction, which says nothing new, is written over it.
   */
  const overwriteFailedCommit = (): void => {
    try {
      writeNoOp()
    } catch {
      rollBackIfNeeded()
    }
  }

  const writeNoOp = (): void => {
    const schema = db.pragma('user_version', { simple: true })
    statement.begin.run()
    db.pragma(`user_version = ${schema}`)
    statement.commit.run()
    hasFailed = false
  }

  const rollBackIfNeeded = (): void => {
    try {
      if (db.inTransaction) statement.rollback.run()
    } catch {
      // Then SQLite has done it by itself, and what went wrong first is what counts.
    }
  }

  const attempt = (change: Change, apply: Apply<Change, Rejection>): Outcome => {
    if (isOneStatement(change)) return outcomeOf(change, apply)
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
      // A broken constraint is this change's own matter; anything else is everybody's.
      if (db.inTransaction && reasonOf(error).startsWith('SQLITE_CONSTRAINT'))
        return unavailable(reasonOf(error))
      throw error
    }
  }

  return {
    /** Resolves when the change is durable, or will never be. */
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

    /** Tries to write only after a transaction that failed: else every call would cost an fsync. */
    checkWritable: (): E.Either<StoreUnavailable, void> => {
      try {
        if (hasFailed) writeNoOp()
        return E.right(undefined)
      } catch (error) {
        rollBackIfNeeded()
        return unavailable(reasonOf(error))
      }
    },

    /** Resolves when nothing waits any more. */
    drained: (): Promise<void> =>
      new Promise((resolve) => {
        if (scheduled) whenDrained.push(resolve)
        else resolve()
      }),
  }
}

/** Enough to spread one fsync thin, and few enough that one transaction does not hold the process up. */
const MAX_BATCH = 256

/** About a second of work for a slow disk. Beyond it, waiting is worse than being told to come back. */
const MAX_WAITING = 4_096

/** How long another process may hold the write lock before all that wait are refused, and how often we look. */
const LOCK_TIMEOUT_MS = 2_000
const RETRY_AFTER_MS = 10

const isBusy = (error: unknown): boolean => reasonOf(error).startsWith('SQLITE_BUSY')

/** SQLite's own code and nothing else: its messages may quote what was to be written. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'an error that SQLite did not name'
