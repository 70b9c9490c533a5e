import { nodeBackground } from '../../adapters/node/background.ts'
import type { Background } from '../../application/ports/background.ts'
import { backgroundContract } from '../testkit/background.ts'
import { BACKGROUND_MUTATIONS } from './broken/background-mutations.ts'
import { catchesMutations } from './broken/port-mutations.ts'

describe('the contract of Background, kept by that of the process', () =>
  backgroundContract({ describe, it }, async () => ({ background: nodeBackground(() => undefined) })))

describe('the contract of Background is a contract', () =>
  catchesMutations<Background>(
    (runner, mutate) =>
      backgroundContract(runner, async () => ({ background: mutate(nodeBackground(() => undefined)) })),
    BACKGROUND_MUTATIONS,
  ))
