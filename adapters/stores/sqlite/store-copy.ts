import { setTimeout } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { type Either, isLeft, left, mapLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreOpening } from '../../../application/ports/storage.ts'
import type { Store, StoreUnavailable } from '../../../application/ports/store.ts'
import type { StoreCopy } from '../../../application/ports/store-copy.ts'
import { decodeCopyState } from '../records/copy-state.ts'
import { STORE_CLOSED, unavailable } from '../records/unavailable.ts'
import { contentsIn, pagesIn } from './copy-source.ts'
import { COPY_STATE } from './copy-state.ts'
import { copyTarget } from './copy-target.ts'
import { openDatabase } from './database.ts'
import { reasonOf } from './group-commit.ts'

/** The store with its copies, which close with it. */
export const withStoreCopy = <S extends Store>(path: string, store: S, opening: StoreOpening) => {
  const { close, ...storeCopy } = sqliteStoreCopy(path, opening === 'read-only' ? opening : 'existing')
  return {
    storeCopy,
    store: {
      ...store,
      close: async () => {
        close()
        await store.close()
      },
    },
  }
}

/** Copies from and to a SQLite file, on connections of their own that open when first needed. */
export const sqliteStoreCopy = (
  path: string,
  opening: 'existing' | 'read-only' = 'existing',
): StoreCopy & Readonly<{ close: () => void }> => {
  let closed = false
  let opened: Opened | undefined
  const open = (): Opened => {
    if (opened !== undefined) return opened
    const db = openDatabase(path, { opening, isChecked: false })
    opened = { db, copyState: db.prepare(COPY_STATE), target: copyTarget(db) }
    return opened
  }

  const unlessClosed =
    <Failure, A>(
      work: (opened: Opened) => Either<Failure | StoreUnavailable, A>,
    ): TaskEither<Failure | StoreUnavailable, A> =>
    async () =>
      closed ? STORE_CLOSED : attempted(() => work(open()))

  /** A transaction that waits for other writers, and rolls back what it refuses. */
  const writing =
    <Failure, A>(
      work: (target: Opened['target']) => Either<Failure | StoreUnavailable, A>,
    ): TaskEither<Failure | StoreUnavailable, A> =>
    async () => {
      await new Promise(setImmediate) // timers of the process go on between two pages
      if (closed) return STORE_CLOSED
      try {
        const { db, target } = open()
        await beginWriting(db)
        return ended(
          db,
          attempted(() => work(target)),
        )
      } catch (error) {
        return failed(error)
      }
    }

  return {
    readCopyState: () => unlessClosed(({ copyState }) => decodeCopyState(copyState.get())),
    readContents: () => unlessClosed(({ db }) => db.transaction(() => contentsIn(db))()),
    lock: (copy, work) => async () => {
      if (closed) return STORE_CLOSED
      let db: Database.Database | undefined
      try {
        db = openDatabase(path, { opening, isChecked: false })
        await beginWriting(db)
        const locked = db
        const copyState = decodeCopyState(locked.prepare(COPY_STATE).get())
        if (isLeft(copyState)) return copyState
        if (copyState.right.state !== 'open') return left({ _tag: 'NotOpen', copyState: copyState.right })
        const contents = contentsIn(locked)
        if (isLeft(contents)) return contents
        const done = await work({ contents: contents.right, pages: () => pagesIn(locked) })
        if (isLeft(done)) return done
        const marked = attempted<never, typeof done.right>(() => {
          locked.prepare(MOVE).run(copy)
          return done
        })
        return ended(locked, marked)
      } catch (error) {
        return failed(error)
      } finally {
        db?.close() // without COMMIT, nothing has changed
      }
    },
    begin: (copy, contents) => async () => {
      const begun = await writing((target) => target.begin(copy, contents))()
      if (isLeft(begun)) return begun
      const deleting = writing((target) => target.deleteSome(copy.id))
      for (;;) {
        const areLeft = await deleting()
        if (isLeft(areLeft)) return areLeft
        if (!areLeft.right) return writing((target) => target.replaceTree(copy.id, contents))()
      }
    },
    write: (copyId, page) => writing((target) => target.write(copyId, page)),
    settle: (copyId) => unlessClosed(({ target }) => target.settle(copyId)),
    complete: (copyId) => writing((target) => target.complete(copyId)),
    close: () => {
      closed = true
      opened?.db.close()
    },
  }
}

type Opened = Readonly<{
  db: Database.Database
  copyState: Database.Statement
  target: ReturnType<typeof copyTarget>
}>

/** An error of `openDatabase` is a sentence without a code. */
const failed = (error: unknown) =>
  unavailable(error instanceof Error && !('code' in error) ? error.message : reasonOf(error))

const attempted = <Failure, A>(
  work: () => Either<Failure | StoreUnavailable, A>,
): Either<Failure | StoreUnavailable, A> => {
  try {
    return work()
  } catch (error) {
    return failed(error)
  }
}

/** Begins a transaction that holds the write lock. Timers wait for other writers, because SQLite would block the process. */
const beginWriting = async (db: Database.Database): Promise<void> => {
  for (const until = performance.now() + LOCK_TIMEOUT_MS; ; ) {
    try {
      db.exec('BEGIN IMMEDIATE')
      return
    } catch (error) {
      if (!reasonOf(error).startsWith('SQLITE_BUSY') || performance.now() > until) throw error
      await setTimeout(RETRY_AFTER_MS)
    }
  }
}

/** Commits a success, and rolls back a failure. A failed COMMIT may still be on the disk. */
const ended = <Failure, A>(
  db: Database.Database,
  outcome: Either<Failure | StoreUnavailable, A>,
): Either<Failure | StoreUnavailable, A> => {
  if (isLeft(outcome)) {
    if (db.inTransaction) db.exec('ROLLBACK')
    return outcome
  }
  try {
    db.exec('COMMIT')
    return outcome
  } catch (error) {
    const reason = reasonOf(error)
    if (db.inTransaction) db.exec('ROLLBACK')
    return pipe(
      unavailable(reason),
      mapLeft((failure) =>
        reason === 'SQLITE_FULL' ? failure : { ...failure, outcome: 'unknown' as const },
      ),
    )
  }
}

/** A service writes for a moment only. Another copy takes longer. */
const LOCK_TIMEOUT_MS = 5_000
const RETRY_AFTER_MS = 10

const MOVE = "UPDATE log_epoch SET copy_state = 'moved', copy_id = @id, copy_place = @place"
