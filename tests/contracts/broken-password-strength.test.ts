import { leakedAre, plainEstimator } from '../support/fake-passwords.ts'
import { provesToBeAContract } from './broken/a-contract.ts'
import { BROKEN_ESTIMATORS, BROKEN_LISTS, type List } from './broken/password-strength.ts'
import { leakedPasswordsContract, passwordEstimatorContract } from './password-strength.ts'

describe('the contract of LeakedPasswords is a contract', () =>
  provesToBeAContract<List>(
    'a list',
    (runner, open) => leakedPasswordsContract(runner, async (passwords) => ({ leaked: open(passwords) })),
    (passwords) => leakedAre(...passwords),
    BROKEN_LISTS,
  ))

describe('the contract of PasswordEstimator is a contract', () =>
  provesToBeAContract(
    'an estimator',
    (runner, open) => passwordEstimatorContract(runner, async () => ({ estimator: open() })),
    () => plainEstimator,
    BROKEN_ESTIMATORS,
  ))
