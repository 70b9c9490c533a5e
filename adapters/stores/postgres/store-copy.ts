import { type Either, isLeft, left, mapLeft } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Store, StoreUnavailable } from '../../../application/ports/store.ts'
import type { Copy, LockedSource, NotOpen, StoreCopy } from '../../../application/ports/store-copy.ts'
import { decodeCopyState } from '../records/copy-state.ts'
import { STORE_CLOSED, unavailable } from '../records/unavailable.ts'
import { type Connections, connectionsTo } from './connections.ts'
import { contentsIn, pagesIn } from './copy-source.ts'
import { COPY_STATE } from './copy-state.ts'
import { begin, complete, settle, write } from './copy-target.ts'
import { OutcomeUnknown, reasonOf } from './errors.ts'
import type { Query } from './primary.ts'
import { LOCK_ORDER } from './row-locks.ts'

/** The store with its copies, which close with it. */
export const withStoreCopy = <S extends Store>(url: string, connections: Connections, store: S) => {
  const { close, ...storeCopy } = postgresStoreCopy(url, connections)
  return {
    storeCopy,
    store: {
      ...store,
      close: async () => {
        await close()
        await store.close()
      },
    },
  }
}

/**
 * Copies from and to a PostgreSQL database. What takes long has connections of its own, which open when first needed.
 *
 * @param connections for the copy state, which is read often
 */
export const postgresStoreCopy = (
  url: string,
  { read }: Pick<Connections, 'read'>,
): StoreCopy & Readonly<{ close: () => Promise<void> }> => {
  const patient = connectionsTo(url, CONNECTIONS, { queryTimeoutMs: STATEMENT_MS, patienceMs: 0 })
  let closed = false

  const answering =
    <Failure, A>(
      ask: () => Promise<Either<Failure | StoreUnavailable, A>>,
    ): TaskEither<Failure | StoreUnavailable, A> =>
    async () => {
      if (closed) return STORE_CLOSED
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof OutcomeUnknown)) return unavailable(reasonOf(error))
        return pipe(
          unavailable(reasonOf(error)),
          mapLeft((failure) => ({ ...failure, outcome: 'unknown' as const })),
        )
      }
    }

  /** Commits a `Right`, and rolls back a `Left`. */
  const transaction = <Failure, A>(
    work: (query: Query) => Promise<Either<Failure | StoreUnavailable, A>>,
  ): TaskEither<Failure | StoreUnavailable, A> =>
    answering(async () => {
      let refused: Either<Failure | StoreUnavailable, never> | undefined
      try {
        return await patient.transaction(async (query) => {
          await query(PATIENCE)
          const done = await work(query)
          if (!isLeft(done)) return done
          refused = done
          throw new Refused()
        })
      } catch (error) {
        if (refused !== undefined) return refused
        throw error
      }
    })

  const lock = <Failure, A>(
    copy: Copy,
    work: (source: LockedSource) => Promise<Either<Failure, A>>,
  ): TaskEither<Failure | NotOpen | StoreUnavailable, A> =>
    transaction<Failure | NotOpen, A>(async (unkept) => {
      await unkept(LOCK)
      const { query, letGo } = keptAlive(unkept)
      try {
        return await workLocked(query, copy, work)
      } finally {
        await letGo()
      }
    })

  return {
    readCopyState: () => answering(async () => decodeCopyState((await read(COPY_STATE)).rows[0])),
    readContents: () => transaction(contentsIn),
    lock,
    begin: (copy, contents) => transaction((query) => begin(query, copy, contents)),
    write: (copyId, page) => transaction((query) => write(query, copyId, page)),
    settle: (copyId) => transaction((query) => settle(query, copyId)),
    complete: (copyId) => transaction((query) => complete(query, copyId)),
    close: async () => {
      closed = true
      await patient.close()
    },
  }
}

/** Works while the transaction of `query` holds the lock, and marks the store after a `Right`. */
const workLocked = async <Failure, A>(
  query: Query,
  copy: Copy,
  work: (source: LockedSource) => Promise<Either<Failure, A>>,
): Promise<Either<Failure | NotOpen | StoreUnavailable, A>> => {
  const copyState = decodeCopyState((await query(COPY_STATE)).rows[0])
  if (isLeft(copyState)) return copyState
  if (copyState.right.state !== 'open') return left({ _tag: 'NotOpen', copyState: copyState.right })
  const contents = await contentsIn(query)
  if (isLeft(contents)) return contents
  const done = await work({ contents: contents.right, pages: () => pagesIn(query) })
  if (isLeft(done)) return done
  await query(MOVE, [copy.id, copy.place])
  return done
}

/**
 * Keeps a transaction from being idle for long. So the server may end one whose client has vanished without a word, and no proxy takes
 * the connection for idle. Queries of one connection run one after the other.
 */
const keptAlive = (unkept: Query) => {
  let last: Promise<unknown> = Promise.resolve()
  let isBusy = false
  const query: Query = (sql, values) => {
    const answer = last.then(() => {
      isBusy = true
      return unkept<never>(sql, values).finally(() => {
        isBusy = false
      })
    })
    last = answer.catch(() => {})
    return answer
  }
  // After a failure the transaction is lost, and COMMIT reports it.
  const beat = setInterval(() => {
    if (!isBusy) query('SELECT').catch(() => {})
  }, BEAT_MS)
  return {
    query,
    letGo: async () => {
      clearInterval(beat)
      await last
    },
  }
}

/** Rolls a transaction back. */
class Refused extends Error {}

/** One for the lock, and one for the rest. */
const CONNECTIONS = 2

/** Counting the rows of a large table takes seconds, and emptying it waits for other work. */
const STATEMENT_MS = 600_000

/** How long the lock waits for those who write. */
const LOCK_WAIT_MS = 10_000

/** How often the transaction of the lock says that its client is there. */
const BEAT_MS = 5_000

/** A client that has vanished keeps the lock no longer than this. */
const IDLE_MS = 30_000

/** The lock lasts as long as the copy. PostgreSQL 17 and later can limit the time of a transaction. */
const PATIENCE = `
  SET LOCAL statement_timeout = ${STATEMENT_MS};
  SET LOCAL lock_timeout = ${LOCK_WAIT_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS};
  SELECT pg_catalog.set_config('transaction_timeout', '0', true)
  FROM pg_catalog.pg_settings WHERE name = 'transaction_timeout'`

/**
 * Holds off all who write, in their own order, so that none deadlocks. Reads go on.
 *
 * - Each change updates the row of the head. Entries are only deleted, and tiles only written, under the row of the tree. A lock of these
 *   tables would also stop statements before they set their lock timeout: their backends would pile up.
 * - Expired rows are deleted without a change, in transactions that have a lock timeout.
 * - Failure counts are no part of a change. They are copied as each page finds them.
 */
const LOCK = `
  LOCK TABLE ${[...LOCK_ORDER, 'mails'].map((table) => `portcullis.${table}`).join(', ')} IN EXCLUSIVE MODE;
  SELECT FROM portcullis.tree FOR UPDATE;
  SELECT FROM portcullis.head FOR UPDATE`

const MOVE = "UPDATE portcullis.head SET copy_state = 'moved', copy_id = $1, copy_place = $2"
