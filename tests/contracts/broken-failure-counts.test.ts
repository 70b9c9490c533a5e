import { memoryFailureCounts } from '../../adapters/driven/memory/failure-counts.ts'
import { provesToBeAContract } from './broken/a-contract.ts'
import { BROKEN_UPDATES } from './broken/counted.ts'
import { BROKEN_BOUNDS, BROKEN_CONCURRENCY, BROKEN_KEYS } from './broken/counted-keys.ts'
import { BROKEN_ENDS } from './broken/counts-closing.ts'
import {
  BROKEN_LASTING_COUNTS,
  BROKEN_SHARED_COUNTS,
  lastingCounts,
  sharedCounts,
} from './broken/counts-handles.ts'
import {
  failureCountsContract,
  lastingFailureCountsContract,
  sharedFailureCountsContract,
} from './failure-counts.ts'

describe('the contract of FailureCounts is a contract', () =>
  provesToBeAContract(
    'counts',
    (runner, open) =>
      failureCountsContract(runner, async (clock, keptAtMost) => ({ counts: open(clock, keptAtMost) })),
    memoryFailureCounts,
    [...BROKEN_UPDATES, ...BROKEN_KEYS, ...BROKEN_CONCURRENCY, ...BROKEN_BOUNDS, ...BROKEN_ENDS],
  ))

describe('the contract of FailureCounts that last is a contract', () =>
  provesToBeAContract('lasting counts', lastingFailureCountsContract, lastingCounts, BROKEN_LASTING_COUNTS))

describe('the contract of FailureCounts that are shared is a contract', () =>
  provesToBeAContract('shared counts', sharedFailureCountsContract, sharedCounts, BROKEN_SHARED_COUNTS))
