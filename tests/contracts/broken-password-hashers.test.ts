import { proveContract } from './broken/harness.ts'
import { hasherContract, PASSWORD_MUTATIONS } from './broken/hashers.ts'
import { LOAD_MUTATIONS } from './broken/hashers-load.ts'
import { RECORD_MUTATIONS } from './broken/hashers-records.ts'

describe('the contract of PasswordHasher', () =>
  proveContract(hasherContract, [...PASSWORD_MUTATIONS, ...RECORD_MUTATIONS, ...LOAD_MUTATIONS]))
