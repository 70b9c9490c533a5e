import { memoryFailureCounts } from '../../adapters/stores/memory/failure-counts.ts'
import type { Clock } from '../../application/ports/environment.ts'
import {
  failureCountsContract,
  type KeptAtMost,
  lastingFailureCountsContract,
  sharedFailureCountsContract,
} from '../testkit/failure-counts.ts'
import { COUNT_MUTATIONS, type MutateCounts } from './broken/counts.ts'
import { COUNT_BOUND_MUTATIONS } from './broken/counts-bounds.ts'
import {
  type CountHandles,
  LASTING_COUNT_MUTATIONS,
  SHARED_COUNT_MUTATIONS,
} from './broken/counts-handles.ts'
import { proveContract } from './broken/harness.ts'
import { handlesOn } from './broken/mutations.ts'

const open =
  (mutate: MutateCounts = () => ({})) =>
  async (clock: Clock, keptAtMost: KeptAtMost) => {
    const counts = memoryFailureCounts(clock, keptAtMost)
    return { counts: { ...counts, ...mutate(counts, clock, keptAtMost) } }
  }

const openHandles = (mutate?: CountHandles) => async (clock: Clock, keptAtMost: KeptAtMost) => {
  const next = handlesOn(memoryFailureCounts(clock, keptAtMost), mutate)
  return { counts: next(), another: async () => next(), reopen: async () => next() }
}

describe('the contract of FailureCounts', () =>
  proveContract<MutateCounts>(
    (runner, mutate) => failureCountsContract(runner, open(mutate)),
    [...COUNT_MUTATIONS, ...COUNT_BOUND_MUTATIONS],
  ))

describe('the contract of lasting FailureCounts', () =>
  proveContract<CountHandles>(
    (runner, mutate) => lastingFailureCountsContract(runner, openHandles(mutate)),
    LASTING_COUNT_MUTATIONS,
  ))

describe('the contract of shared FailureCounts', () =>
  proveContract<CountHandles>(
    (runner, mutate) => sharedFailureCountsContract(runner, openHandles(mutate)),
    SHARED_COUNT_MUTATIONS,
  ))
