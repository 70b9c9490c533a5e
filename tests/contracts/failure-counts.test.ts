import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryFailureCounts } from '../../adapters/memory/failure-counts.ts'
import { type Connections, connectionsTo } from '../../adapters/postgres/connections.ts'
import { openDatabase } from '../../adapters/postgres/database.ts'
import { postgresFailureCounts } from '../../adapters/postgres/failure-counts.ts'
import { sqliteFailureCounts } from '../../adapters/sqlite/failure-counts.ts'
import type { Clock } from '../../application/ports/environment.ts'
import { postgres } from '../support/postgres.ts'
import type { PostgresServer } from '../support/postgres-server.ts'
import {
  type FailureCountsCapabilities,
  failureCountsContract,
  type OpenFailureCounts,
} from './failure-counts.ts'

const openSqlite = async (clock: Clock, keptAtMost: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-contract-'))
  const open = () => sqliteFailureCounts(join(folder, 'store.db'), clock, keptAtMost)
  return {
    counts: open(),
    reopen: async () => open(),
    another: async () => open(),
    close: () => rm(folder, { recursive: true }),
  }
}

/** On a database of this server, new for each. */
const openOn = (server: PostgresServer) => async (clock: Clock, keptAtMost: number) => {
  const { url, drop } = await server.newDatabase()
  await openDatabase({ url, place: 'a database of the tests' })
  const opened: Array<Connections> = []
  const open = () => {
    const connections = connectionsTo(url, 4)
    opened.push(connections)
    return postgresFailureCounts(connections, clock, keptAtMost)
  }
  return {
    counts: open(),
    reopen: async () => open(),
    another: async () => open(),
    close: async () => {
      for (const connections of opened) await connections.close()
      await drop()
    },
  }
}
const openPostgres = postgres === undefined ? undefined : openOn(postgres)

/** All there are and what they can do besides, under the one contract. */
const FAILURE_COUNTS: ReadonlyArray<readonly [string, OpenFailureCounts, FailureCountsCapabilities]> = [
  ['memory', async (clock, keptAtMost) => ({ counts: memoryFailureCounts(clock, keptAtMost) }), {}],
  ['sqlite', openSqlite, { lasting: openSqlite, shared: openSqlite }],
  ...(openPostgres === undefined
    ? []
    : [['postgres', openPostgres, { lasting: openPostgres, shared: openPostgres }] as const]),
]

for (const [name, open, capabilities] of FAILURE_COUNTS) {
  describe(`the contract of FailureCounts, kept by ${name}`, () =>
    failureCountsContract({ describe, it }, open, capabilities))
}
