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
import { IN_RECOVERY, queryPrimary, RECOVERY } from './primary.ts'

/** Asks with one statement, and its values apart from it. */
export type Query = <Row>(
  sql: string,
  values?: ReadonlyArray<unknown>,
) => Promise<pg.QueryResult<Row & object>>

/**
 * A bounded number of connections to one database, which may go through PgBouncer in transaction mode: nothing is kept on a
 * connection from one transaction to the next, neither prepared statements nor settings.
 *
 * Only a primary is asked. Where a connection leads to a standby, no connection that was open by then is used again, and others
 * are tried, a few times. All methods end with `Standby` when each of them led to a standby.
 */
export type Connections = Readonly<{
  /**
   * One statement that only reads, and that may stand in FROM: SELECT or VALUES. It is asked again when it met a connection that
   * was gone.
   */
  read: Query
  /** One statement that is a transaction of its own. */
  write: Query
  /**
   * What `work` asks, in one transaction at the isolation READ COMMITTED. It ends with an error of `work`, or with `OutcomeUnknown`
   * when it is not known whether COMMIT went through. It may end with `work` not being called at all.
   */
  transaction: <A>(work: (query: Query) => Promise<A>) => Promise<A>
  /** Waits for what was asked, then closes them all. */
  close: () => Promise<void>
}>

/**
 * Nothing is opened before it is needed.
 *
 * @param url of the database; it holds a secret
 * @param most so many connections at once
 * @param queryTimeoutMs how long an answer is waited for
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
  // Whoever waits for an answer on a connection that ends is told so, and so is who asks on it next: that the driver also
  // says it to nobody in particular must not end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  pool.on('error', () => {}) // one that lay idle: it is out of the pool already, and the next that is needed tells
  let closing: Promise<void> | undefined

  const generations = new WeakMap<pg.PoolClient, number>()
  let generation = 0
  pool.on('connect', (client) => generations.set(client, generation))

  /** Those that were opened before one led to a standby may lead there too. */
  const acquire = async (): Promise<pg.PoolClient> => {
    for (let retriesLeft = most; ; retriesLeft -= 1) {
      if (pool.waitingCount >= MAX_WAITING) throw new PoolExhausted('too many wait for a connection')
      const client = await pool.connect()
      if (generations.get(client) === generation || retriesLeft === 0) return client
      client.release(true)
    }
  }

  /** Once for all that are of one generation, so that those opened since are kept. */
  const retireGeneration = (client: pg.PoolClient): void => {
    if (generations.get(client) === generation) generation += 1
  }

  const asked = new Set<Promise<unknown>>()

  /** Closing waits for it. */
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
   * A server that was restarted leaves connections behind that nobody knows to be dead: whoever meets one asks on the next.
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

  /** The connection is given back, unless what went wrong there may have been its own fault. */
  const withClient = async <A>(client: pg.PoolClient, work: (query: Query) => Promise<A>): Promise<A> => {
    let isUsable = true
    const noteError = (error: unknown): void => {
      const isOnStandby = error instanceof Standby || isReadOnly(error)
      if (isOnStandby) retireGeneration(client)
      isUsable = keepsConnection(error) && !isOnStandby
    }
    const query: Query = async (sql, values = []) => {
      if (!isUsable) throw new Error('the connection is not to be used any more')
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
   * Begins a transaction on a primary. Behind PgBouncer the next connection may lead to the same server: PgBouncer closes its
   * own connection to a server when a client hangs up in a transaction.
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

  /** Says goodbye, and waits no longer for a server that does not hear it: what stays open would keep the process. */
  const closePool = async (): Promise<void> => {
    const destroySockets = () => {
      for (const socket of sockets) socket.destroy()
    }
    const closeTimer = setTimeout(destroySockets, 2 * (CONNECT_TIMEOUT_MS + queryTimeoutMs))
    while (asked.size > 0) await Promise.allSettled(asked) // a pool that ends lets nobody in who still waits
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
      if (isReadOnly(error)) return inTransaction((query) => query(sql, values)) // nothing was writeOnce
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
        await query('ROLLBACK').catch(() => {}) // where the connection is gone, so is the transaction
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

/** Clients that hang up where the server does not let them in: the driver would wait until the server does. */
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
  return Client as unknown as new () => pg.ClientBase // a pool makes its clients with `new`
}

/** 64-bit integers come as text. Those beyond what a number holds are refused where rows are decoded. */
const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format as 'text')

/** How long somebody waits for a connection, free or new, before being told to come back. */
const CONNECT_TIMEOUT_MS = 2_000

/** The server is given a little less to say itself that it took too long. */
const QUERY_TIMEOUT_MS = 5_000
const STATEMENT_MS = 4_500
export const LOCK_MS = 4_000

/** An instance that is gone in the middle of a transaction holds the others up no longer than that, and they wait longer. */
const IDLE_IN_TRANSACTION_MS = 3_000

/** A server that is there takes a goodbye at once. */
const CLOSE_TIMEOUT_MS = 500

const IDLE_MS = 30_000

/** So that connections spread anew behind a balancer. */
const LIFETIME_SECONDS = 1_800

/** How many more connections are tried when one leads to a standby: to find the primary among several takes no more. */
const STANDBY_RETRIES = 3

const MAX_WAITING = 4_096

const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = ${STATEMENT_MS};
  SET LOCAL lock_timeout = ${LOCK_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS};
  SELECT ${RECOVERY}`
