import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore } from '../../adapters/memory/store.ts'
import { connectionsTo } from '../../adapters/postgres/connections.ts'
import { openDatabase } from '../../adapters/postgres/database.ts'
import { postgresStore } from '../../adapters/postgres/store.ts'
import { sqliteStore } from '../../adapters/sqlite/store.ts'
import { postgres } from '../support/postgres.ts'
import type { PostgresServer } from '../support/postgres-server.ts'
import { type OpenStore, type StoreCapabilities, storeContract } from './store.ts'

const openSqlite = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-contract-'))
  const open = () => sqliteStore(join(folder, 'store.db'))
  return {
    store: open(),
    reopen: async () => open(),
    another: async () => open(),
    close: () => rm(folder, { recursive: true }),
  }
}

/** On a database of this server, new for each. */
const openOn = (server: PostgresServer) => async () => {
  const { url, drop } = await server.newDatabase()
  await openDatabase({ url, place: 'a database of the tests' })
  const open = () => postgresStore(connectionsTo(url, 4))
  return { store: open(), reopen: async () => open(), another: async () => open(), close: drop }
}
const openPostgres = postgres === undefined ? undefined : openOn(postgres)

/** Every store there is and what it can do besides, under the one contract. */
const STORES: ReadonlyArray<readonly [string, OpenStore, StoreCapabilities]> = [
  ['memory', async () => ({ store: memoryStore() }), {}],
  ['sqlite', openSqlite, { lasting: openSqlite, shared: openSqlite }],
  ...(openPostgres === undefined
    ? []
    : [['postgres', openPostgres, { lasting: openPostgres, shared: openPostgres }] as const]),
]

for (const [name, open, capabilities] of STORES) {
  describe(`the contract of Store, kept by ${name}`, () =>
    storeContract({ describe, it }, open, capabilities))
}
