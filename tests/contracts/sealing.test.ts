import { sealingContract } from '../testkit/sealing.ts'
import { catchesMutations } from './broken/port-mutations.ts'
import { SEALING_MUTATIONS, type Sealed, sealingWith } from './broken/sealing-mutations.ts'

describe('the contract of Sealing, kept by AES-256-GCM', () =>
  sealingContract({ describe, it }, async (keys, timer) => ({ sealing: sealingWith(keys, timer) })))

describe('the contract of Sealing is a contract', () =>
  catchesMutations<Sealed>(
    (runner, mutate) =>
      sealingContract(runner, async (keys, timer) => ({ sealing: mutate(sealingWith(keys, timer)) })),
    SEALING_MUTATIONS,
  ))
