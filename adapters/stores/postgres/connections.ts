import { once } from 'node:events'
import { Socket } from 'node:net'
import pg from 'pg'
import {
  isConnectionLost,
  isReadOnly,
  isRolledBack,
  keepsConnection,
  OutcomeUnknown,
  PoolExhausted,
  reasonOf,
  Standby,
} from './errors.ts'
import { IN_RECOVERY, type Query, queryPrimary, RECOVERY } from './primary.ts'

/**
 * A bounded pool of connections to one database, also through PgBouncer in transaction mode. So a connection keeps
 * nothing between transactions: no prepared statements and no settings.
 *
 * Only a primary is used. If a connection leads to a standby, all connections opened until then are retired, and a few
 * new ones are tried. Every method fails with `Standby` if all of them lead to a standby.
 */
export type Connections = Readonly<{
  /** A read-only statement that may stand in FROM: SELECT or VALUES. It is repeated if its connection was dead. */
  read: Query
  /** One statement, which is a transaction by itself. */
  write: Query
  /**
   * Runs `work` in one READ COMMITTED transaction. Fails with the error of `work`, or with `OutcomeUnknown` if the
   * outcome of COMMIT is unknown. It can fail before it calls `work`.
   */
  transaction: <A>(work: (query: Query) => Promise<A>) => Promise<A>
  /** Waits for running queries, then closes all connections. */
  close: () => Promise<void>
}>

/**
 * Opens connections only when needed.
 *
 * @param url of the database; it contains a secret
 * @param most the size of the pool
 * @param queryTimeoutMs how long a query may take
 */
export const connectionsTo = (url: string, most: number, queryTimeoutMs = QUERY_TIMEOUT_MS): Connections => {
  const sockets = new Set<Socket>()
  const pool = new pg.Pool({
    Client: clientsOn(() => {
      const socket = new Socket()
      sockets.add(socket.once('close', () => sockets.delete(socket)))
      return socket
    }),
    connectionString: url,
    max: most,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
    application_name: 'portcullis',
    types: { getTypeParser },
  })
  // The query on a connection that ends rejects, and so does the next one. The same error on the client must not end
  // the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {}) // an idle connection: the pool has removed it
  let closing: Promise<void> | undefined

  const generations = new WeakMap<pg.PoolClient, number>()
  let generation = 0
  pool.on('connect', (client) => generations.set(client, generation))

  /** Connections opened before one led to a standby may lead to the same standby. */
  const acquire = async (): Promise<pg.PoolClient> => {
    for (let retriesLeft = most; ; retriesLeft -= 1) {
      if (pool.waitingCount >= MAX_WAITING) throw new PoolExhausted('too many queries wait for a connection')
      const client = await pool.connect()
      if (generations.get(client) === generation || retriesLeft === 0) return client
      client.release(true)
    }
  }

  /** Once per generation, so that connections opened since are kept. */
  const retireGeneration = (client: pg.PoolClient): void => {
    if (generations.get(client) === generation) generation += 1
  }

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
      const client = await acquire()
      const isNew = !used.has(client)
      used.add(client)
      try {
        return await ask(client)
      } catch (error) {
        if (isNew || retriesLeft === 0 || !isConnectionLost(error)) throw error
      }
    }
  }

  /** Returns the connection to the pool, unless it may have caused the error. */
  const withClient = async <A>(client: pg.PoolClient, work: (query: Query) => Promise<A>): Promise<A> => {
    let isUsable = true
    const noteError = (error: unknown): void => {
      const isOnStandby = error instanceof Standby || isReadOnly(error)
      if (isOnStandby) retireGeneration(client)
      isUsable = keepsConnection(error) && !isOnStandby
    }
    const query: Query = async (sql, values = []) => {
      if (!isUsable) throw new Error('the connection is no longer usable')
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
      if (error instanceof Standby) noteError(error)
      throw error
    } finally {
      client.release(!isUsable)
    }
  }

  const begin = async (client: pg.PoolClient): Promise<pg.PoolClient> => {
    try {
      const results = (await client.query(BEGIN)) as unknown as ReadonlyArray<pg.QueryResult> // of several statements
      if (results.at(-1)?.rows[0]?.[IN_RECOVERY] !== false) throw new Standby()
      return client
    } catch (error) {
      if (error instanceof Standby) retireGeneration(client)
      client.release(true)
      throw error
    }
  }

  /**
   * Begins a transaction on a primary. Behind PgBouncer, the next connection may lead to the same server. PgBouncer
   * closes its server connection when a client disconnects in a transaction.
   */
  const beginOnPrimary = async (): Promise<pg.PoolClient> => {
    for (let retriesLeft = STANDBY_RETRIES; ; retriesLeft -= 1) {
      try {
        return await withLiveClient(begin)
      } catch (error) {
        if (!(error instanceof Standby) || retriesLeft === 0) throw error
      }
    }
  }

  /**
   * Closes the connections, and destroys the sockets if the server does not answer. An open socket would keep the
   * process alive.
   */
  const closePool = async (): Promise<void> => {
    const destroySockets = () => {
      for (const socket of sockets) socket.destroy()
    }
    const closeTimer = setTimeout(destroySockets, 2 * (CONNECT_TIMEOUT_MS + queryTimeoutMs))
    while (asked.size > 0) await Promise.allSettled(asked) // an ending pool gives no connection to queries that wait
    await pool.end()
    clearTimeout(closeTimer)
    const destroyTimer = setTimeout(destroySockets, CLOSE_TIMEOUT_MS)
    await Promise.all([...sockets].map((socket) => once(socket, 'close').catch(() => {})))
    clearTimeout(destroyTimer)
  }

  const writeOnce: Query = async (sql, values) => {
    const client = await acquire()
    try {
      return await withClient(client, (query) => query(sql, values))
    } catch (error) {
      if (isReadOnly(error)) return inTransaction((query) => query(sql, values)) // nothing was written
      throw isRolledBack(error) ? error : new OutcomeUnknown(reasonOf(error))
    }
  }

  const readFromPrimary: Query = async (sql, values) => {
    try {
      return await withLiveClient((client) => withClient(client, (query) => queryPrimary(query, sql, values)))
    } catch (error) {
      if (error instanceof Standby) return inTransaction((query) => query(sql, values))
      throw error
    }
  }

  const inTransaction = async <A>(work: (query: Query) => Promise<A>): Promise<A> =>
    withClient(await beginOnPrimary(), async (query) => {
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
        throw isRolledBack(error) ? error : new OutcomeUnknown(reasonOf(error))
      }
      return done
    })

  return {
    read: (sql, values) => tracked(() => readFromPrimary(sql, values)),
    write: (sql, values) => tracked(() => writeOnce(sql, values)),
    transaction: (work) => tracked(() => inTransaction(work)),
    close: async () => {
      closing ??= closePool()
      await closing
    },
  }
}

/** Clients that close their socket if the server refuses them. The driver would wait for the server to close it. */
const clientsOn = (open: () => Socket): (new () => pg.ClientBase) => {
  function Client(config: pg.ClientConfig): pg.Client {
    const socket = open()
    const client = new pg.Client({ ...config, stream: () => socket })
    const connect = client.connect.bind(client)
    const connectOrHangUp = (heard: (error: Error) => void): void =>
      connect((error: Error) => {
        if (error) socket.destroy()
        heard(error)
      })
    return Object.assign(client, { connect: connectOrHangUp })
  }
  return Client as unknown as new () => pg.ClientBase // the pool calls it with `new`
}

/** 64-bit integers arrive as text. The row codecs refuse those that a number cannot hold. */
const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format as 'text')

/** How long a query waits for a connection, free or new. */
const CONNECT_TIMEOUT_MS = 2_000

/** The statement timeout of the server is a little shorter, so that the server reports it. */
const QUERY_TIMEOUT_MS = 5_000
const STATEMENT_MS = 4_500
export const LOCK_MS = 4_000

/** An instance that dies in a transaction delays the others no longer than this. Their lock timeout is longer. */
const IDLE_IN_TRANSACTION_MS = 3_000

/** A reachable server closes a connection at once. */
const CLOSE_TIMEOUT_MS = 500

const IDLE_MS = 30_000

/** Spreads the connections again behind a load balancer. */
const LIFETIME_SECONDS = 1_800

/** How many more connections are tried after a standby. Finding the primary among several servers takes no more. */
const STANDBY_RETRIES = 3

const MAX_WAITING = 4_096

const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = ${STATEMENT_MS};
  SET LOCAL lock_timeout = ${LOCK_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};
  SELECT ${RECOVERY}`
