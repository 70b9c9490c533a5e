import { loadPasskeyVerifier } from '../../adapters/credentials/passkeys/verifier.ts'
import { passkeyVerifierContract } from '../testkit/passkey-verifier.ts'
import { PASSKEY_VERIFIER_MUTATIONS } from './broken/passkey-verifier-mutations.ts'
import { catchesMutations } from './broken/port-mutations.ts'

describe('the contract of PasskeyVerifier, kept by @simplewebauthn/server', () =>
  passkeyVerifierContract({ describe, it }, async () => ({ verifier: await loadPasskeyVerifier() })))

describe('the contract of PasskeyVerifier is a contract', () =>
  catchesMutations(
    (runner, mutate) =>
      passkeyVerifierContract(runner, async () => ({ verifier: mutate(await loadPasskeyVerifier()) })),
    PASSKEY_VERIFIER_MUTATIONS,
  ))
