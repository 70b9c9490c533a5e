import { loadPasskeyVerifier } from '../../adapters/credentials/passkeys/verifier.ts'
import { passkeyVerifierContract } from '../testkit/passkey-verifier.ts'

describe('the contract of PasskeyVerifier, kept by @simplewebauthn/server', () =>
  passkeyVerifierContract({ describe, it }, async () => ({ verifier: await loadPasskeyVerifier() })))
