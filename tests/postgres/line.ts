import { type Connections, connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import type { Store } from '../../application/ports/store.ts'
import { postgres } from '../support/postgres.ts'
import { type PostgresProxy, postgresProxy } from '../support/postgres-proxy.ts'

/** A store on a separate database, behind a connection that may fail. */
export type OnLine = Readonly<{
  store: Store & LogTree
  connections: Connections
  proxy: PostgresProxy
  /** The database without the proxy. */
  direct: string
}>

/** The time that a test waits for a response. A service waits longer. */
export const ANSWER_PATIENCE_MS = 400

/** For tests in which no answer stays out: also a busy machine gives them within this time. */
export const PATIENT = { patienceMs: 5_000, queryTimeoutMs: 5_000 }

/** A test on such a store. The connection works again at its end. */
export const onLine =
  (
    test: (line: OnLine) => Promise<void>,
    { most = 4, patienceMs = ANSWER_PATIENCE_MS, queryTimeoutMs = ANSWER_PATIENCE_MS } = {},
  ): (() => Promise<void>) =>
  async () => {
    if (postgres === undefined) throw new Error('there is no PostgreSQL')
    const { url, drop } = await postgres.newDatabase()
    await openDatabase({ url, place: 'a database of the tests' })
    const proxy = await postgresProxy(postgres.port)
    const connections = connectionsTo(proxy.url(url), most, { queryTimeoutMs, patienceMs })
    const store = postgresStore(connections)
    try {
      await test({ store, connections, proxy, direct: url })
    } finally {
      proxy.delay(0)
      proxy.resume()
      await store.close()
      await proxy.close()
      await drop()
    }
  }

/** Opens this many connections: none is free before all are in use. */
export const useAtOnce = async ({ transaction }: Connections, count: number): Promise<void> => {
  const users = new Set<number>()
  let letGo = () => {}
  const areInUse = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const use = (_: unknown, user: number) =>
    transaction(async (query) => {
      await query('SELECT 1')
      users.add(user)
      if (users.size === count) letGo()
      await areInUse
    })
  await Promise.all(Array.from({ length: count }, use))
}
