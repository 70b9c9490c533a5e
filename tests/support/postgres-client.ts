import pg from 'pg'

/** What tests do with a shared PostgreSQL. Each test works in its own databases. */
export type PostgresClient = Readonly<{
  port: number
  /** A new, empty database. `drop` ends its connections. */
  newDatabase: () => Promise<Readonly<{ url: string; drop: () => Promise<void> }>>
  /** Runs SQL as the superuser, in the named database or the server's default one. */
  ask: (sql: string, database?: string) => Promise<ReadonlyArray<Record<string, unknown>>>
  /** Ends the connections of this client. */
  close: () => Promise<void>
}>

/** The superuser of every PostgreSQL of the tests. */
export const USER = 'portcullis'
export const PASSWORD = 'a password of the tests'.replaceAll(' ', '-')

/** A client of the server on this local port. */
export const postgresOn = (port: number): PostgresClient => {
  const urlOf = (database: string) => `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${database}`
  const administration = new pg.Pool({ connectionString: urlOf('postgres'), max: 2, allowExitOnIdle: true })
  administration.on('error', () => {}) // a test may stop the server
  const ask: PostgresClient['ask'] = async (sql, database) => {
    if (database === undefined) return (await administration.query(sql)).rows
    const client = new pg.Client(urlOf(database))
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
  return {
    port,
    newDatabase: async () => {
      const name = nextName()
      await ask(`CREATE DATABASE ${name}`)
      return { url: urlOf(name), drop: async () => void (await ask(`DROP DATABASE ${name} WITH (FORCE)`)) }
    },
    ask,
    close: () => administration.end(),
  }
}

let made = 0

/** A name that no other process uses: several share one server when test files run in parallel. */
const nextName = (): string => {
  made += 1
  return `test_${process.pid}${String(made).padStart(5, '0')}`
}
