import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgresOutbox } from '../../adapters/stores/postgres/outbox.ts'
import { postgresProtocolState } from '../../adapters/stores/postgres/protocol-state.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import { withStoreCopy } from '../../adapters/stores/postgres/store-copy.ts'
import type { PostgresClient } from './postgres-client.ts'
import { postgresProxy } from './postgres-proxy.ts'
import { REMOVE_ROWS, SCHEMA } from './postgres-rows.ts'
import { type Contents, closedWith, type FaultyStore, type Place, type StoreKind } from './store-kind.ts'

/** Each in a separate database on this server. */
export const postgresDatabases = (server: PostgresClient): StoreKind => ({
  name: 'PostgreSQL',
  isShared: true,
  layOut: emptyDatabasesOn(server),
  openStore: async (url) => postgresStore(opened(url)),
  openWarm: warmOn(server),
  openCopyable: async (url) => {
    const connections = opened(url)
    const outbox = postgresOutbox(connections)
    const protocolState = postgresProtocolState(connections)
    return { ...withStoreCopy(url, connections, postgresStore(connections)), outbox, protocolState }
  },
  openFaulty: (url) => behindProxy(url, server.port),
  openFailureCounts: async (url, clock, keptAtMost) => {
    const connections = opened(url)
    return closedWith(postgresFailureCounts(connections, clock, keptAtMost), connections.close)
  },
  openProtocolState: async (url, keptAtMost) => {
    const connections = opened(url)
    return closedWith(postgresProtocolState(connections, keptAtMost), connections.close)
  },
  contents: (url) =>
    on(url, async (client) => {
      const rowsOf = async (table: string, order = 'id') =>
        (await client.query(`SELECT * FROM ${table} ORDER BY ${order}`)).rows
      const contents: Contents = {
        log: await rowsOf('log', 'position'),
        applications: await rowsOf('applications'),
        users: await rowsOf('users'),
        sessions: await rowsOf('sessions'),
        keys: await rowsOf('keys'),
        revoked_tokens: await rowsOf('revoked_tokens'),
        one_time_tokens: await rowsOf('one_time_tokens'),
        factors: await rowsOf('factors'),
      }
      return contents
    }),
  spoil: (url, ...statements) =>
    on(url, async (client) => {
      await client.query('SET session_replication_role = replica') // disables triggers
      for (const statement of statements)
        if ((await client.query(statement)).rowCount === 0)
          throw new Error(`it changed nothing: ${statement}`)
    }),
  copy: async (url): Promise<Place> => {
    const original = nameOf(url)
    await cleaners.get(url)?.pause() // a database with connections cannot be copied
    copies += 1
    const name = `${original}_copy_${copies}`
    await server.ask(`CREATE DATABASE ${name} TEMPLATE ${original}`)
    return {
      url: Object.assign(new URL(url), { pathname: `/${name}` }).href,
      remove: async () => void (await server.ask(`DROP DATABASE ${name} WITH (FORCE)`)),
    }
  },
})

let copies = 0

/** A database, its schema after the migrations, and the connection that empties it. */
type Database = Awaited<ReturnType<PostgresClient['newDatabase']>> &
  Readonly<{ schema: string; cleaner: Cleaner }>

/**
 * Databases with the schema and without rows. A database is reused after its rows are removed, unless a connection to it
 * is still open, as after a failed test, or its schema has changed.
 */
const emptyDatabasesOn = (server: PostgresClient) => {
  const empty: Array<Database> = []
  return async (): Promise<Place> => {
    const database = empty.pop() ?? (await migratedOn(server))
    return {
      url: database.url,
      remove: async () => {
        if (await database.cleaner.ask((client) => isEmptied(client, database))) empty.push(database)
        else await database.drop()
      },
    }
  }
}

/**
 * One store after the other, in one database and on the same connections. Opening a connection, and the first query of each, take most of
 * the time of a short test.
 */
const warmOn = (server: PostgresClient) => {
  let made: Promise<Database & Readonly<{ connections: Connections }>> | undefined
  const make = async () => {
    const database = await migratedOn(server)
    return { ...database, connections: opened(database.url) }
  }
  return async () => {
    made ??= make()
    const { connections, cleaner } = await made
    return {
      store: postgresStore({ ...connections, close: async () => {} }),
      close: async () => void (await cleaner.ask((client) => client.query(REMOVE_ROWS))),
    }
  }
}

const migratedOn = async (server: PostgresClient): Promise<Database> => {
  const made = await server.newDatabase()
  await openDatabase({ url: made.url, place: 'a database of the tests' })
  const cleaner = cleanerOf(made.url)
  cleaners.set(made.url, cleaner)
  return {
    ...made,
    cleaner,
    schema: await cleaner.ask(schemaOf),
    drop: async () => {
      cleaners.delete(made.url)
      await cleaner.pause()
      await made.drop()
    },
  }
}

/** One connection that empties a database each time, because opening one takes longer. */
type Cleaner = Readonly<{
  ask: <A>(work: (client: pg.Client) => Promise<A>) => Promise<A>
  /** Ends the connection until the next query. */
  pause: () => Promise<void>
}>

const cleaners = new Map<string, Cleaner>()

const cleanerOf = (url: string): Cleaner => {
  let client: pg.Client | undefined
  return {
    ask: async (work) => {
      if (client === undefined) {
        client = new pg.Client(url)
        client.on('error', () => {}) // the server stops before this process
        await client.connect()
      }
      return work(client)
    },
    pause: async () => {
      const open = client
      client = undefined
      await open?.end()
    },
  }
}

const schemaOf = async (client: pg.Client): Promise<string> => (await client.query(SCHEMA)).rows[0].schema

/** The server keeps a closed connection for a moment. */
const isEmptied = async (client: pg.Client, database: Database, patience = PATIENCE): Promise<boolean> => {
  const others = await client.query(OTHERS)
  if (others.rowCount !== 0 && patience === 0) return false
  if (others.rowCount !== 0) {
    await setTimeout(A_MOMENT_MS)
    return isEmptied(client, database, patience - 1)
  }
  if ((await schemaOf(client)) !== database.schema) return false
  await client.query(REMOVE_ROWS)
  return true
}

const OTHERS = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
const A_MOMENT_MS = 20
const PATIENCE = 50

const nameOf = (url: string): string => new URL(url).pathname.slice(1)

/** No test needs more, and all tests share the server's connections. */
const CONNECTIONS = 4

/** Without a look at its migrations: each connection costs much of the time of a test, and `migratedOn` has made them. */
const opened = (url: string) => connectionsTo(url, CONNECTIONS)

/** Shorter than that of a service, because these outages last until all has failed. */
const PATIENCE_WITH_OUTAGES_MS = 200

/** The connection to the server is lost for a time, or after a COMMIT before its response. */
const behindProxy = async (url: string, port: number): Promise<FaultyStore> => {
  const proxy = await postgresProxy(port)
  const connections = connectionsTo(proxy.url(url), CONNECTIONS, { patienceMs: PATIENCE_WITH_OUTAGES_MS })
  await connections.read('SELECT 1') // its first question, which is not meant to be lost
  const store = postgresStore(connections)
  let lost: Promise<unknown> | undefined
  return {
    store,
    fail: async () => void proxy.refuse(),
    loseAnswer: async () => {
      lost = proxy.next(/^COMMIT\b/, 'answer lost')
    },
    mend: async () => {
      proxy.accept()
      await lost // the injected loss has happened
      return store
    },
    close: proxy.close,
  }
}

/** Runs SQL on its tables without the adapter. */
const on = async <A>(url: string, ask: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=portcullis' })
  await client.connect()
  try {
    return await ask(client)
  } finally {
    await client.end()
  }
}
