import { rsaIdTokenKeys } from '../../adapters/credentials/jwt/id-token-keys.ts'
import { pooledKeys } from '../support/rsa-keys.ts'
import { idTokenKeysContract } from '../testkit/id-token-keys.ts'
import { ID_TOKEN_KEYS_MUTATIONS } from './broken/id-token-keys-mutations.ts'
import { catchesMutations } from './broken/port-mutations.ts'

describe('the contract of IdTokenKeys, kept by RSA', () =>
  idTokenKeysContract({ describe, it }, async () => ({ keys: rsaIdTokenKeys() })))

describe('the contract of IdTokenKeys is a contract', () =>
  catchesMutations(
    (runner, mutate) => idTokenKeysContract(runner, async () => ({ keys: mutate(pooledKeys()) })),
    ID_TOKEN_KEYS_MUTATIONS,
  ))
