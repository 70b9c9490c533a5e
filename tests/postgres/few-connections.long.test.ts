import { expect } from 'chai'
import pg from 'pg'
import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { eventually } from '../support/eventually.ts'
import { postgresProxy } from '../support/postgres-proxy.ts'
import { gate } from '../support/waiting.ts'
import { describeOnPostgres, newRole, onEmpty } from './database.ts'
import { onLine, useAtOnce } from './line.ts'

const MOST = 4

describeOnPostgres('a PostgreSQL that accepts fewer connections than the pool may have (53300)', (server) => {
  type Place = Readonly<{
    connections: Connections
    /** The number of connections that the pool has tried until now. */
    tried: () => number
    /** Another client of the same role. */
    other: () => Promise<pg.Client>
  }>

  const onFew = (accepted: number, patienceMs: number, test: (place: Place) => Promise<void>) =>
    onEmpty(server, async (database) => {
      const role = await newRole(server, database)
      await server.ask(`ALTER ROLE ${role.role} CONNECTION LIMIT ${accepted}`)
      const proxy = await postgresProxy(server.port)
      const connections = connectionsTo(proxy.url(role.url), MOST, { patienceMs })
      const others: Array<pg.Client> = []
      try {
        await test({
          connections,
          tried: proxy.opened,
          other: async () => {
            const client = new pg.Client(role.url)
            others.push(client)
            await client.connect()
            return client
          },
        })
      } finally {
        await Promise.all(others.map((client) => client.end()))
        await connections.close()
        await proxy.close()
        await role.remove()
      }
    })

  const one = ({ read }: Connections) => read('SELECT 1 AS one')

  it(
    'fails no query while others are answered: it waits for an open connection',
    onFew(2, 0, async ({ connections }) => {
      await one(connections)
      const answers = await Promise.all(Array.from({ length: 40 }, () => one(connections)))
      expect(answers.flatMap(({ rows }) => rows)).to.have.length(40)
    }),
  )

  it(
    'lets a query wait while the only connection is in use for long',
    onFew(1, 20_000, async ({ connections, tried }) => {
      const { reached, pass, open } = gate()
      const long = connections.transaction(() => pass())
      await reached
      const before = tried()
      const waiting = one(connections)
      await eventually('more than one connection is refused', async () => tried() > before + 1 || undefined)
      open()
      await long.catch(() => {}) // a busy machine may take longer than a transaction may be idle
      expect((await waiting).rows).to.have.length(1)
    }),
  )

  it(
    'lets a query wait for the first connection',
    onFew(1, 20_000, async ({ connections, tried, other }) => {
      const holder = await other()
      const waiting = one(connections)
      await eventually('more than one connection is refused', async () => tried() > 1 || undefined)
      await holder.end()
      expect((await waiting).rows).to.have.length(1)
    }),
  )

  it(
    'fails a query in the end, and names the reason',
    onFew(1, 100, async ({ connections, other }) => {
      await other()
      const failure = await one(connections).catch((error: Error) => error)
      expect(failure).to.include({ code: '53300' })
    }),
  )
})

describeOnPostgres('a firewall that forgets idle connections to PostgreSQL', () => {
  it(
    'fails the first query, and no later one',
    onLine(async ({ connections, proxy }) => {
      await useAtOnce(connections, MOST)
      proxy.forget()
      const first = await connections.read('SELECT 1').catch((error: Error) => error)
      expect(first).to.include({ message: 'Query read timeout' })
      for (let time = 0; time < MOST; time += 1)
        expect((await connections.read('SELECT 1')).rows).to.have.length(1)
    }),
  )
})
