import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryFailureCounts } from '../../adapters/memory/failure-counts.ts'
import { sqliteFailureCounts } from '../../adapters/sqlite/failure-counts.ts'
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
]

for (const [name, open] of FAILURE_COUNTS) {
  describe(`the contract of FailureCounts, kept by ${name}`, () =>
    failureCountsContract({ describe, it }, open))
}
