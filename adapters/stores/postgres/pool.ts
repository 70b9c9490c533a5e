import { once } from 'node:events'
import { Socket } from 'node:net'
import type { ReadonlyNonEmptyArray } from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import pg from 'pg'
import { askAside } from './ask-aside.ts'
import { isFull, NoneFree, PoolExhausted, reasonOf, Unreachable, WAIT_OVER } from './errors.ts'
import type { Query } from './primary.ts'

/** A bounded pool of connections to the one server in use, of several that may be the primary. */
export type ServerPool = Readonly<{
  /** A connection that was opened since the last `leave`. */
  acquire: () => Promise<pg.PoolClient>
  /**
   * The server behind this connection is not to be used. All connections opened until then are retired, and new ones lead to the next
   * server. Once one was left, the others change nothing.
   */
  leave: (client: pg.PoolClient) => void
  /** Retires the connections opened until now. They may lead to a former server. */
  retire: () => void
  /** Retires the connections of the age of this one, which is dead. A firewall that forgot it has forgotten the others, too. */
  retireWith: (client: pg.PoolClient) => void
  /**
   * Asks the other servers, one after the other, until one of them is the better one. Then new connections lead there, and those
   * opened until now are retired.
   */
  look: (isBetter: (query: Query) => Promise<boolean>) => Promise<void>
  /** Closes the connections, and destroys the sockets if the server does not answer. An open socket would keep the process alive. */
  close: (afterMs: number, work: () => Promise<void>) => Promise<void>
}>

/**
 * @param urls one for each server; they contain secrets
 * @param most the size of the pool
 * @param queryTimeoutMs how long a query may take
 */
export const serverPool = (
  urls: ReadonlyNonEmptyArray<string>,
  most: number,
  queryTimeoutMs: number,
): ServerPool => {
  const sockets = new Set<Socket>()
  let generation = 0
  let place = 0
  let isClosing = false

  /** Moves on once for all connections of a generation. */
  const leaveGeneration = (left: number | undefined): void => {
    if (left !== generation) return
    generation += 1
    place = (place + 1) % urls.length
  }

  const connected = new Set<pg.PoolClient>()
  const generations = new WeakMap<pg.ClientBase, number>()
  const open = (config: pg.ClientConfig): pg.Client => {
    const socket = new Socket()
    sockets.add(socket.once('close', () => sockets.delete(socket)))
    const opened = generation
    const client = hangingUp(
      new pg.Client({ ...config, connectionString: urls[place], stream: () => socket }),
      (error) => {
        socket.destroy()
        // A server that is full still serves the connections that it has.
        if (urls.length > 1 && !(isFull(error) && connected.size > 0)) leaveGeneration(opened)
      },
    )
    generations.set(client, opened)
    return client
  }

  const pool = new pg.Pool({
    Client: constructorOf(open),
    max: most,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'portcullis',
    types: { getTypeParser },
  })
  // The query on a connection that ends rejects, and so does the next one. The same error on the client must not end
  // the process.
  pool.on('connect', (client) => connected.add(client.on('error', () => {})))
  pool.on('remove', (client) => connected.delete(client))
  pool.on('error', () => {}) // an idle connection: the pool has removed it

  /** Opens no more connections for a moment. Queries wait for one of those that the server has accepted. */
  const useOpenOnes = (): void => {
    pool.options.max = Math.max(1, connected.size)
    setTimeout(() => {
      pool.options.max = most
    }, FULL_MS).unref()
  }

  /** Without a connection, those who wait for a free one wait for the server. */
  const connect = async (full?: unknown): Promise<pg.PoolClient> => {
    try {
      return await pool.connect()
    } catch (error) {
      if (connected.size > 0 && isFull(error)) {
        useOpenOnes()
        return connect(error)
      }
      if (!isWaitOver(error)) throw error
      if (connected.size === 0) throw new Unreachable()
      throw full === undefined ? error : new NoneFree(reasonOf(full), { cause: full })
    }
  }

  const destroySockets = () => {
    for (const socket of sockets) socket.destroy()
  }

  return {
    acquire: async () => {
      for (let retriesLeft = most; ; retriesLeft -= 1) {
        if (pool.waitingCount >= MAX_WAITING)
          throw new PoolExhausted('too many queries wait for a connection')
        const client = await connect()
        if (generations.get(client) === generation || retriesLeft === 0) return client
        client.release(true)
      }
    },
    leave: (client) => leaveGeneration(generations.get(client)),
    retire: () => {
      generation += 1
    },
    retireWith: (client) => {
      if (generations.get(client) === generation) generation += 1
    },
    look: async (isBetter) => {
      for (const [other, url] of urls.entries()) {
        if (isClosing) return
        if (other === place || (await askAside(url, isBetter)) !== true) continue
        generation += 1
        place = other
        return
      }
    },
    close: async (afterMs, work) => {
      isClosing = true
      const closeTimer = setTimeout(destroySockets, afterMs)
      await work()
      await pool.end()
      clearTimeout(closeTimer)
      const destroyTimer = setTimeout(destroySockets, CLOSE_TIMEOUT_MS)
      await Promise.all([...sockets].map((socket) => once(socket, 'close').catch(() => {})))
      clearTimeout(destroyTimer)
    },
  }
}

/** A client that hangs up if the server refuses it. The driver would wait for the server to close the connection. */
const hangingUp = (client: pg.Client, hangUp: (error: Error) => void): pg.Client => {
  const connect = client.connect.bind(client)
  const connectOrHangUp = (heard: (error: Error) => void): void =>
    connect((error: Error) => {
      if (error) hangUp(error)
      heard(error)
    })
  return Object.assign(client, { connect: connectOrHangUp })
}

const isWaitOver = (error: unknown): boolean => error instanceof Error && error.message === WAIT_OVER

/** The pool calls it with `new`. */
const constructorOf = (open: (config: pg.ClientConfig) => pg.Client): (new () => pg.ClientBase) => {
  function Client(config: pg.ClientConfig): pg.Client {
    return open(config)
  }
  return Client as unknown as new () => pg.ClientBase
}

/** 64-bit integers arrive as text. The row codecs refuse those that a number cannot hold. */
const getTypeParser: typeof pg.types.getTypeParser = (id: number, format?: 'text' | 'binary') =>
  id === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(id, format as 'text')

/** How long a query waits for a connection, free or new. */
export const CONNECT_TIMEOUT_MS = 2_000

/** A reachable server closes a connection at once. */
const CLOSE_TIMEOUT_MS = 500

/** How long no connection is tried after one was refused for this reason. */
const FULL_MS = 1_000

/** Refreshes what firewalls and NAT remember. Some forget a connection that was idle for less than `IDLE_MS`. */
const KEEP_ALIVE_MS = 10_000

const IDLE_MS = 30_000

/** Spreads the connections again behind a load balancer. */
const LIFETIME_SECONDS = 1_800

const MAX_WAITING = 4_096
