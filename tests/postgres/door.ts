import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { postgres } from '../support/postgres.ts'
import { type PostgresProxy, postgresProxy } from '../support/postgres-proxy.ts'
import type { PostgresServer } from '../support/postgres-server.ts'

/** An address that leads to one of several servers. A test moves it. */
export type Door = Readonly<{
  proxy: PostgresProxy
  /** The URL of the database through it. */
  url: string
  close: () => Promise<void>
}>

/** How a store reaches servers: directly, and through PgBouncer if there is one. None without PostgreSQL. */
export const WAYS: ReadonlyArray<readonly [name: string, isPooled: boolean]> =
  postgres === undefined
    ? []
    : [['directly', false], ...(hasPgBouncer ? [['through PgBouncer', true] as const] : [])]

/** Opens a door to a database on this server. */
export const openDoor = async (server: PostgresServer, url: string, isPooled: boolean): Promise<Door> => {
  const proxy = await postgresProxy(server.port)
  const pooler = isPooled ? await startPgBouncer(proxy.url(url)) : undefined
  return {
    proxy,
    url: pooler === undefined ? proxy.url(url) : pooler.through(url),
    close: async () => {
      await pooler?.stop()
      await proxy.close()
    },
  }
}
