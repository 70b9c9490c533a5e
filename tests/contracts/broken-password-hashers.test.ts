import { provesToBeAContract } from './broken/a-contract.ts'
import { BROKEN_PASSWORDS } from './broken/hashed-passwords.ts'
import { BROKEN_RECORDS } from './broken/hashed-records.ts'
import { BROKEN_SCHEMES } from './broken/hashed-schemes.ts'
import { hashersWith } from './broken/hashers.ts'
import { BROKEN_LOADS } from './broken/hashers-load.ts'
import { passwordHasherContract } from './password-hasher.ts'

describe('the contract of PasswordHasher is a contract', () =>
  provesToBeAContract(
    'hashers',
    (runner, { open, capabilities }) => passwordHasherContract(runner, open, capabilities),
    hashersWith(() => ({})),
    [...BROKEN_PASSWORDS, ...BROKEN_RECORDS, ...BROKEN_SCHEMES, ...BROKEN_LOADS],
  ))
