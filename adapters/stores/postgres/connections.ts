import type pg from 'pg'
import { driverUrlsOf } from '../../config/addresses/postgres-hosts.ts'
import {
  isAway,
  isConnectionLost,
  isLostAnswer,
  isReadOnly,
  isRolledBack,
  isTimeout,
  isWrongServer,
  keepsConnection,
  lacksRight,
  NO_LONGER_USABLE,
  NoneFree,
  OutcomeUnknown,
  reasonOf,
} from './errors.ts'
import { patience } from './patience.ts'
import { CONNECT_TIMEOUT_MS, serverPool } from './pool.ts'
import { type Query, queryPrimary, type Server } from './primary.ts'
import { timelineFence } from './timeline-fence.ts'

/**
 * A bounded pool of connections to one database, opened when needed, also through PgBouncer in transaction mode. So a connection keeps
 * nothing between transactions: no prepared statements and no settings.
 *
 * Only the current primary is used. If a connection leads to a standby or a former primary, all connections are retired, and
 * a few new ones are tried. If a query takes too long, the other servers are asked whether one has replaced this one.
 *
 * What certainly was not done is repeated for some seconds: a planned switch-over takes no longer.
 * After that, every method fails at once, for example with `Standby`.
 */
export type Connections = Readonly<{
  /** A read-only statement that may stand in FROM: SELECT or VALUES. */
  read: Query
  /** One statement, which is a transaction by itself. Fails with `OutcomeUnknown` if the connection was lost meanwhile. */
  write: Query
  /**
   * Runs `work` in one READ COMMITTED transaction. Fails with the error of `work`, or with `OutcomeUnknown` if the
   * outcome of COMMIT is unknown. It can fail before it calls `work`, and may call it several times.
   *
   * @param options.changesNothing it may be done twice: a lost COMMIT is repeated too
   */
  transaction: <A>(work: (query: Query) => Promise<A>, options?: TransactionOptions) => Promise<A>
  /** A condition in SQL for `write`. It does not hold on a former primary. */
  isCurrent: () => string
  /** How many connections there are at most. */
  size: number
  /** Waits for running queries, then closes all connections. */
  close: () => Promise<void>
}>

export type TransactionOptions = Readonly<{ changesNothing?: boolean; limits?: Limits }>

/** How long a statement of a transaction may take, and how long it may wait for a lock. */
export type Limits = Readonly<{ statementMs: number; lockMs: number }>

export type ConnectionOptions = Readonly<{
  /** How long a query may take. */
  queryTimeoutMs?: number
  /** How long a query waits in an outage. */
  patienceMs?: number
  /** Receives a reason while a former primary is refused, and undefined when the current one answers again. */
  onServerRefused?: (reason: string | undefined) => void
}>

/**
 * @param url of the database, with one or several servers; it contains a secret
 * @param most the size of the pool
 */
export const connectionsTo = (
  url: string,
  most: number,
  {
    queryTimeoutMs = QUERY_TIMEOUT_MS,
    patienceMs = PATIENCE_MS,
    onServerRefused = () => {},
  }: ConnectionOptions = {},
): Connections => {
  const urls = driverUrlsOf(url)
  const pool = serverPool(urls, most, queryTimeoutMs)
  const fence = timelineFence({ onNewer: pool.retire, onRefused: onServerRefused })
  let closing: Promise<void> | undefined
  const asked = new Set<Promise<unknown>>()

  /** Makes `close` wait for the query. */
  const tracked = async <A>(ask: () => Promise<A>): Promise<A> => {
    const answer = ask()
    asked.add(answer)
    try {
      return await answer
    } finally {
      asked.delete(answer)
    }
  }

  const used = new WeakSet<pg.PoolClient>()

  /**
   * Repeats a query on the next connection if its connection was dead. A restarted server leaves dead connections in
   * the pool.
   *
   * @param ask may be called several times, unless the server answers
   */
  const withLiveClient = async <A>(ask: (client: pg.PoolClient) => Promise<A>): Promise<A> => {
    for (let retriesLeft = most; ; retriesLeft -= 1) {
      const client = await pool.acquire()
      const isNew = !used.has(client)
      used.add(client)
      try {
        return await ask(client)
      } catch (error) {
        if (isNew || retriesLeft === 0 || !isConnectionLost(error)) throw error
      }
    }
  }

  let isLooking = false

  /** A former primary may go on to answer reads, while its commits wait for a standby that has replaced it. */
  const lookElsewhere = (): void => {
    if (isLooking) return
    isLooking = true
    void pool.look(fence.isReplacedBy).finally(() => {
      isLooking = false
    })
  }

  /** What an error says about the server behind a connection. */
  const noteServer = (client: pg.PoolClient, error: unknown): void => {
    if (isWrongServer(error)) pool.leave(client)
    if (!isTimeout(error)) return
    pool.retireWith(client)
    lookElsewhere()
  }

  /** Returns the connection to the pool, unless it may have caused the error. */
  const withClient = async <A>(client: pg.PoolClient, work: (query: Query) => Promise<A>): Promise<A> => {
    let isUsable = true
    const noteError = (error: unknown): void => {
      noteServer(client, error)
      isUsable = keepsConnection(error) && !isWrongServer(error)
    }
    const query: Query = async (sql, values = []) => {
      if (!isUsable) throw new Error(NO_LONGER_USABLE)
      try {
        return await client.query(sql, [...values])
      } catch (error) {
        noteError(error)
        throw error
      }
    }
    try {
      return await work(query)
    } catch (error) {
      if (isWrongServer(error)) noteError(error)
      throw error
    } finally {
      client.release(!isUsable)
    }
  }

  const beginWithin =
    (limits: Limits) =>
    async (client: pg.PoolClient): Promise<pg.PoolClient> => {
      try {
        const results = (await client.query(
          `${begin(limits)} SELECT ${fence.selected()}`,
        )) as unknown as ReadonlyArray<pg.QueryResult<Server>> // of several statements
        await fence.expectPrimary(results.at(-1)?.rows[0], (sql, values = []) =>
          client.query(sql, [...values]),
        )
        return client
      } catch (error) {
        noteServer(client, error)
        client.release(true)
        throw error
      }
    }

  /**
   * Begins a transaction on the primary. Behind PgBouncer, the next connection may lead to the same server. PgBouncer
   * closes its server connection when a client disconnects in a transaction.
   */
  const beginOnPrimary = async (limits: Limits): Promise<pg.PoolClient> => {
    for (let retriesLeft = Math.max(OTHER_SERVERS, urls.length); ; retriesLeft -= 1) {
      try {
        return await withLiveClient(beginWithin(limits))
      } catch (error) {
        const isGone = isAway(error) && !(error instanceof NoneFree)
        const isElsewhere = isWrongServer(error) || (urls.length > 1 && isGone)
        if (!isElsewhere || retriesLeft === 0) throw error
      }
    }
  }

  const transactionOnce = async <A>(work: (query: Query) => Promise<A>, limits = LIMITS): Promise<A> =>
    withClient(await beginOnPrimary(limits), async (query) => {
      let done: A
      try {
        done = await work(query)
      } catch (error) {
        await query('ROLLBACK').catch(() => {}) // a lost connection has no transaction
        throw error
      }
      try {
        await query('COMMIT')
      } catch (error) {
        throw isRolledBack(error) ? error : new OutcomeUnknown(reasonOf(error), { cause: error })
      }
      return done
    })

  const askOnce = async <A>(work: (query: Query) => Promise<A>, limits = LIMITS): Promise<A> => {
    try {
      return await transactionOnce(work, limits)
    } catch (error) {
      throw isLostAnswer(error) ? error.cause : error
    }
  }

  const readOnce: Query = async (sql, values) => {
    try {
      return await withLiveClient((client) =>
        withClient(client, (query) => queryPrimary(query, fence, sql, values)),
      )
    } catch (error) {
      if (isWrongServer(error)) return askOnce((query) => query(sql, values))
      throw error
    }
  }

  const writeOnce: Query = async (sql, values) => {
    const client = await pool.acquire()
    try {
      return await withClient(client, (query) => query(sql, values))
    } catch (error) {
      if (isReadOnly(error)) return transactionOnce((query) => query(sql, values)) // nothing was written
      throw isRolledBack(error) ? error : new OutcomeUnknown(reasonOf(error), { cause: error })
    }
  }

  /** Meets the first server before its answers count. */
  const meetServer = async (): Promise<void> => {
    if (fence.isNew()) await askOnce(fence.meet)
  }

  /** An error that says that the user lacks a right may be about the right to ask for the timeline. */
  const fenced = async <A>(ask: () => Promise<A>): Promise<A> => {
    await meetServer()
    try {
      return await ask()
    } catch (error) {
      if (!lacksRight(error) || !fence.forgetRight()) throw error
      await meetServer()
      return ask()
    }
  }

  const outages = patience({
    isAway: (error) => isAway(error) || isWrongServer(error),
    probe: () => fenced(() => transactionOnce(async () => {})),
    patienceMs,
  })
  const patient = <A>(ask: () => Promise<A>): Promise<A> => tracked(() => outages.through(() => fenced(ask)))

  return {
    read: (sql, values) => patient(() => readOnce(sql, values)),
    write: (sql, values) => patient(() => writeOnce(sql, values)),
    transaction: (work, { changesNothing = false, limits } = {}) =>
      patient(() => (changesNothing ? askOnce(work, limits) : transactionOnce(work, limits))),
    isCurrent: fence.condition,
    size: most,
    close: async () => {
      closing ??= pool.close(2 * (CONNECT_TIMEOUT_MS + queryTimeoutMs), async () => {
        while (asked.size > 0) await Promise.allSettled(asked) // an ending pool gives no connection to queries that wait
      })
      await closing
    },
  }
}

/** The statement timeout of the server is a little shorter, so that the server reports it. */
const QUERY_TIMEOUT_MS = 5_000
export const LIMITS: Limits = { statementMs: 4_500, lockMs: 4_000 }

/** Longer than a planned switch-over, and half of the deadline of a request: the last attempt may hang as long as a query. */
const PATIENCE_MS = 5_000

/** An instance that dies in a transaction delays the others no longer than this. Their lock timeout is longer. */
const IDLE_IN_TRANSACTION_MS = 3_000

/** How many more connections are tried at once after a wrong server. Finding the primary behind a load balancer takes no more. */
const OTHER_SERVERS = 3

const begin = ({ statementMs, lockMs }: Limits): string => `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = ${statementMs};
  SET LOCAL lock_timeout = ${lockMs};
  SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};`
