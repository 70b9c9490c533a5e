import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
import { leakedPasswordsContract, passwordEstimatorContract } from '../testkit/password-strength.ts'
import { proveContract } from './broken/harness.ts'
import {
  ESTIMATOR_MUTATIONS,
  LIST_MUTATIONS,
  type MutateEstimator,
  type MutateList,
} from './broken/passwords.ts'

describe('the contract of LeakedPasswords', () =>
  proveContract<MutateList>(
    (runner, mutate = (passwords) => leakedAre(...passwords)) =>
      leakedPasswordsContract(runner, async (passwords) => ({ leaked: mutate(passwords) })),
    LIST_MUTATIONS,
  ))

describe('the contract of PasswordEstimator', () =>
  proveContract<MutateEstimator>(
    (runner, mutate = () => ({})) =>
      passwordEstimatorContract(runner, async () => ({
        estimator: { ...plainEstimator, ...mutate(plainEstimator) },
      })),
    ESTIMATOR_MUTATIONS,
  ))
