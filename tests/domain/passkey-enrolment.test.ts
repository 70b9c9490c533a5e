import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { passkeyMaterial, userHandleOf } from '../../domain/passkey.ts'
import { validatePasskeyEnrolment } from '../../domain/passkey-enrolment.ts'
import { registrationOptions, secondFactorOptions, signInOptions } from '../../domain/passkey-options.ts'
import { aFactor, aUser } from '../testkit/builders.ts'
import { withoutIo } from './no-io.ts'

describe('the registration of a passkey', () => {
  withoutIo()

  const OK = right('a passkey')
  for (const [what, request, passkey, expected] of [
    [
      'a passkey and a name',
      { credential: '{}', name: 'key' },
      OK,
      right({ passkey: 'a passkey', name: 'key' }),
    ],
    ['no name', { credential: '{}' }, OK, right({ passkey: 'a passkey', name: 'Passkey' })],
    ['nothing', {}, left('CredentialInvalid' as const), left(['CredentialMissing'])],
    ['an empty credential', { credential: '' }, OK, left(['CredentialMissing'])],
    [
      'one that does not verify',
      { credential: '{}' },
      left('CredentialInvalid' as const),
      left(['CredentialInvalid']),
    ],
    [
      'one that is enrolled, and a wrong name',
      { credential: '{}', name: '\n' },
      left('CredentialTaken' as const),
      left(['CredentialTaken', 'NameMalformed']),
    ],
    ['nothing but a wrong name', { name: ' ' }, OK, left(['CredentialMissing', 'NameMalformed'])],
  ] as const)
    it(`judges ${what}`, () => {
      const request_ = { credential: undefined, name: undefined, ...request }
      expect(validatePasskeyEnrolment<string>(request_, passkey)).to.deep.equal(expected)
    })
})

describe('the options of passkeys', () => {
  withoutIo()

  const USER = aUser({ id: '0190f5a2-c4b8-7d11-a1b2-c3d4e5f60718', email: 'ada@example.com' })
  const material = passkeyMaterial({ credentialId: 'AQ', publicKey: 'pQEC', rpId: 'example.com' })
  const FACTORS = [
    aFactor({ kind: 'passkey', material, flags: 'uv be internal usb' }),
    aFactor({ kind: 'passkey', material: 'damaged' }),
    aFactor({ kind: 'totp' }),
  ]
  const NAMED = [{ type: 'public-key', id: 'AQ', transports: ['internal', 'usb'] }]

  it('name the user, the relying party and the passkeys that there are', () => {
    const options = registrationOptions({
      challenge: 'c',
      rpId: 'example.com',
      rpName: 'Shop',
      user: USER,
      factors: FACTORS,
    })
    expect(options).to.deep.include({
      rp: { id: 'example.com', name: 'Shop' },
      user: { id: userHandleOf(USER.id), name: USER.email, displayName: USER.email },
      challenge: 'c',
      timeout: 300_000,
      excludeCredentials: NAMED,
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestation: 'none',
    })
    expect(options.pubKeyCredParams.map(({ alg }) => alg)).to.deep.equal([-7, -8, -257])
  })

  it('of a sign-in tell nothing of any user, and require user verification', () => {
    expect(signInOptions('c', 'example.com')).to.deep.equal({
      challenge: 'c',
      timeout: 300_000,
      rpId: 'example.com',
      allowCredentials: [],
      userVerification: 'required',
    })
  })

  it('of a second step name the passkeys of the user', () => {
    expect(secondFactorOptions({ challenge: 'c', rpId: 'example.com', factors: FACTORS })).to.deep.include({
      allowCredentials: NAMED,
      userVerification: 'discouraged',
    })
  })
})
