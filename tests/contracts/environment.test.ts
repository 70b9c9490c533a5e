import { nodeDigests, systemClock, systemRandom, systemTimer } from '../../adapters/node/environment.ts'
import { clockContract, digestsContract, randomContract, timerContract } from '../testkit/environment.ts'
import {
  CLOCK_MUTATIONS,
  DIGESTS_MUTATIONS,
  RANDOM_MUTATIONS,
  TIMER_MUTATIONS,
} from './broken/environment-mutations.ts'
import { catchesMutations } from './broken/port-mutations.ts'

describe('the contract of Clock, kept by the system', () =>
  clockContract({ describe, it }, () => systemClock))
describe('the contract of Timer, kept by the system', () =>
  timerContract({ describe, it }, () => systemTimer))
describe('the contract of Random, kept by the system', () =>
  randomContract({ describe, it }, () => systemRandom))
describe('the contract of Digests, kept by Node', () => digestsContract({ describe, it }, () => nodeDigests))

describe('the contract of Clock is a contract', () =>
  catchesMutations(
    (runner, mutate) => clockContract(runner, () => mutate({ read: systemClock }).read),
    CLOCK_MUTATIONS,
  ))

describe('the contract of Timer is a contract', () =>
  catchesMutations((runner, mutate) => timerContract(runner, () => mutate(systemTimer)), TIMER_MUTATIONS))

describe('the contract of Random is a contract', () =>
  catchesMutations((runner, mutate) => randomContract(runner, () => mutate(systemRandom)), RANDOM_MUTATIONS))

describe('the contract of Digests is a contract', () =>
  catchesMutations((runner, mutate) => digestsContract(runner, () => mutate(nodeDigests)), DIGESTS_MUTATIONS))
