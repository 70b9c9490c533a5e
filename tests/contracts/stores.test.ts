import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStore } from '../../adapters/memory/store.ts'
import { sqliteStore } from '../../adapters/sqlite/store.ts'
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
]

for (const [name, open] of STORES) {
  describe(`the contract of Store, kept by ${name}`, () => storeContract({ describe, it }, open))
}
