import { keyWrappingContract } from '../testkit/key-wrapping.ts'
import { KEY_WRAPPING_MUTATIONS, type Keyed, keyed } from './broken/key-wrapping-mutations.ts'
import { catchesMutations } from './broken/port-mutations.ts'

describe('the contract of KeyWrapping, kept by AES-256-GCM', () =>
  keyWrappingContract({ describe, it }, async (keys) => ({ wrapping: keyed(keys) })))

describe('the contract of KeyWrapping is a contract', () =>
  catchesMutations<Keyed>(
    (runner, mutate) => keyWrappingContract(runner, async (keys) => ({ wrapping: mutate(keyed(keys)) })),
    KEY_WRAPPING_MUTATIONS,
  ))
