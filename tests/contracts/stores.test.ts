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
import { type OpenStore, storeContract } from './store.ts'

/** Every store there is, under the one contract. */
const STORES: ReadonlyArray<readonly [string, OpenStore]> = [
  ['memory', async () => ({ store: memoryStore() })],
  [
    'sqlite',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'portcullis-contract-'))
      return {
        store: sqliteStore(join(folder, 'store.db')),
        close: () => rm(folder, { recursive: true }),
      }
    },
  ],
  ...(postgres === undefined ? [] : [['postgres', openOn(postgres)] as const]),
]

/** On a database of this server, new for each. */
function openOn(server: PostgresServer): OpenStore {
  return async () => {
    const { url, drop } = await server.newDatabase()
    await openDatabase({ url, place: 'a database of the tests' })
    return { store: postgresStore(connectionsTo(url, 4)), close: drop }
  }
}

for (const [name, open] of STORES) {
  describe(`the contract of Store, kept by ${name}`, () => storeContract({ describe, it }, open))
}
