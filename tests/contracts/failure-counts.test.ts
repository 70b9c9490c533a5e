import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryFailureCounts } from '../../adapters/memory/failure-counts.ts'
import { connectionsTo } from '../../adapters/postgres/connections.ts'
import { openDatabase } from '../../adapters/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/postgres/failure-counts.ts'
import { sqliteFailureCounts } from '../../adapters/sqlite/failure-counts.ts'
import { postgres } from '../support/postgres.ts'
import type { PostgresServer } from '../support/postgres-server.ts'
import { failureCountsContract, type OpenFailureCounts } from './failure-counts.ts'

/** All there are, under the one contract. */
const FAILURE_COUNTS: ReadonlyArray<readonly [string, OpenFailureCounts]> = [
  ['memory', async (clock, keptAtMost) => ({ counts: memoryFailureCounts(clock, keptAtMost) })],
  [
    'sqlite',
    async (clock, keptAtMost) => {
      const folder = await mkdtemp(join(tmpdir(), 'portcullis-contract-'))
      return {
        counts: sqliteFailureCounts(join(folder, 'store.db'), clock, keptAtMost),
        close: () => rm(folder, { recursive: true }),
      }
    },
  ],
  ...(postgres === undefined ? [] : [['postgres', openOn(postgres)] as const]),
]

/** On a database of this server, new for each. */
function openOn(server: PostgresServer): OpenFailureCounts {
  return async (clock, keptAtMost) => {
    const { url, drop } = await server.newDatabase()
    await openDatabase({ url, place: 'a database of the tests' })
    const connections = connectionsTo(url, 4)
    return {
      counts: postgresFailureCounts(connections, clock, keptAtMost),
      close: async () => {
        await connections.close()
        await drop()
      },
    }
  }
}

for (const [name, open] of FAILURE_COUNTS) {
  describe(`the contract of FailureCounts, kept by ${name}`, () =>
    failureCountsContract({ describe, it }, open))
}
