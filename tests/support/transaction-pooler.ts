import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import { dataOf, errorMessage, messagesIn, query, type Startup, startupIn, welcome } from './postgres-wire.ts'

/**
 * Behaves like PgBouncer in transaction mode: few server connections, of which a client holds
 * one from the first message of a transaction to its end. The next transaction may get another one.
 */
export type TransactionPooler = Readonly<{
  /** The URL of the database through it. */
  url: string
  /** State that clients left on connections at the end of a transaction. */
  left: () => Promise<ReadonlyArray<string>>
  close: () => Promise<void>
}>

export const startTransactionPooler = async (url: string, connections = 2): Promise<TransactionPooler> => {
  const left = new Set<string>()
  const looking = new Set<Promise<void>>()
  const idle: Array<ServerConnection> = []
  const waiting: Array<(connection: ServerConnection) => void> = []
  const sockets = new Set<Socket>()
  const all = new Set<ServerConnection>()
  let isClosed = false

  const open = async (): Promise<void> => {
    const connection = await connectionTo(url)
    all.add(connection)
    give(connection)
  }
  /** The first waiting client gets the connection that was idle the longest, so that no client keeps one by chance. */
  const give = (connection: ServerConnection): void => {
    idle.push(connection)
    const next = waiting.shift()
    const first = next === undefined ? undefined : idle.shift()
    if (first !== undefined) next?.(first)
  }
  const taken = (): Promise<ServerConnection> =>
    new Promise((resolve) => {
      const first = idle.shift()
      if (first === undefined) waiting.push(resolve)
      else resolve(first)
    })

  const leave = async (connection: ServerConnection): Promise<void> => {
    for (const what of await connection.ask(WHAT_IS_LEFT)) left.add(what)
    give(connection)
  }
  const discard = async (connection: ServerConnection): Promise<void> => {
    all.delete(connection)
    await connection.close()
    if (!isClosed) await open()
  }

  const serve = (client: Socket): void => {
    let connection: ServerConnection | undefined
    let isAsking = false
    let unsent: ReadonlyArray<Buffer> = []
    let unanswered = 0

    const answered = (message: Buffer): void => {
      client.write(message)
      if (message[0] !== READY) return
      unanswered -= 1
      if (unanswered > 0 || message[5] !== IDLE || connection === undefined) return
      const done = connection
      connection = undefined
      done.listen(() => {})
      const looked = leave(done).catch(() => {})
      looking.add(looked)
      looked.then(() => looking.delete(looked))
    }
    const send = async (message: Buffer): Promise<void> => {
      unsent = [...unsent, message]
      if (connection === undefined) {
        if (isAsking) return
        isAsking = true
        connection = await taken()
        isAsking = false
        if (client.destroyed) return gone()
        connection.listen(answered)
      }
      for (const each of unsent) {
        if (each[0] === QUERY || each[0] === SYNC) unanswered += 1
        connection.send(each)
      }
      unsent = []
    }
    /** A client that disconnects inside a transaction ends its server connection too. */
    const gone = (): void => {
      const held = connection
      connection = undefined
      if (held !== undefined) discard(held).catch(() => {})
    }

    const started = ({ refused }: Startup): void => {
      if (refused === undefined) client.write(welcome())
      else client.end(errorMessage('08P01', `unsupported startup parameter: ${refused}`))
    }
    sockets.add(client)
    client.on('error', () => {})
    client.on('close', () => {
      sockets.delete(client)
      gone()
    })
    client.on(
      'data',
      startupIn(client, KNOWN_PARAMETERS, started, (message) => {
        if (message[0] === TERMINATE) client.end()
        else send(message).catch(() => client.destroy())
      }),
    )
  }

  for (let each = 0; each < connections; each += 1) await open()
  const listener = createServer({ noDelay: true }, serve).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const through = new URL(url)
  through.port = typeof address === 'object' ? String(address?.port) : ''
  return {
    url: through.href,
    left: async () => {
      await Promise.all(looking)
      return [...left]
    },
    close: async () => {
      isClosed = true
      for (const socket of sockets) socket.destroy()
      listener.close()
      await Promise.all([...all].map((connection) => connection.close()))
    },
  }
}

type ServerConnection = Readonly<{
  send: (message: Buffer) => void
  /** Replaces all other listeners. */
  listen: (hears: (message: Buffer) => void) => void
  /** The rows of a query, one word each. */
  ask: (sql: string) => Promise<ReadonlyArray<string>>
  close: () => Promise<void>
}>

/** The driver logs in. Afterwards the pooler uses its socket directly. */
const connectionTo = async (url: string): Promise<ServerConnection> => {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  let hears = (_message: Buffer): void => {}
  stream.removeAllListeners('data')
  stream.on(
    'data',
    messagesIn((message) => hears(message)),
  )
  const listen: ServerConnection['listen'] = (next) => {
    hears = next
  }
  return {
    send: (message) => void stream.write(message),
    listen,
    ask: (sql) =>
      new Promise((resolve, reject) => {
        const words: Array<string> = []
        stream.once('close', reject)
        listen((message) => {
          if (message[0] === DATA) words.push(dataOf(message))
          if (message[0] !== READY) return
          stream.off('close', reject)
          listen(() => {})
          resolve(words)
        })
        stream.write(query(sql))
      }),
    close: async () => {
      stream.destroy()
    },
  }
}

/** The startup parameters that PgBouncer accepts. It sets them on the connections it uses. */
const KNOWN_PARAMETERS: ReadonlyArray<string> = [
  'user',
  'database',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'application_name',
]

const WHAT_IS_LEFT = `
  SELECT 'the prepared statement ' || name FROM pg_prepared_statements
  UNION ALL SELECT 'the cursor ' || name FROM pg_cursors WHERE name <> ''
  UNION ALL SELECT 'listening to ' || channel FROM pg_listening_channels() AS channel
  UNION ALL SELECT 'an advisory lock' FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
  UNION ALL SELECT 'the setting ' || name FROM pg_settings WHERE source = 'session'`

const [READY, DATA, QUERY, SYNC, TERMINATE, IDLE] = [...'ZDQSXI'].map((letter) => letter.charCodeAt(0))
