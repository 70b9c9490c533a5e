import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { expect } from 'chai'
import { CompactSign, compactVerify } from 'jose'
import { jwtApplicationTokens } from '../../../adapters/credentials/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../../adapters/credentials/paseto/user-tokens.ts'
import { ed25519, thumbprint } from '../../../adapters/credentials/signing/ed25519.ts'
import type { KeyHalves } from '../../../adapters/credentials/signing/signatures.ts'
import { fail, succeed } from '../../support/outcome.ts'
import { aKey } from '../../testkit/builders.ts'
import { base64url, bytesOf, forgeJws, forgePaseto, jwtHeader, pasetoFooter, privateKeyOf } from '../forge.ts'
import { IMPLEMENTATIONS } from '../signatures.ts'
import { RFC8037 } from './rfc8037.ts'
import { ED25519_SECRET, ED25519_VECTORS, type SignatureVector } from './wycheproof-ed25519.ts'

const halvesOf = ({ publicKey }: SignatureVector): KeyHalves => {
  const x = base64url(publicKey)
  return {
    privateKey: generateKeyPairSync('ed25519').privateKey,
    publicKey: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
    d: ED25519_SECRET,
    x,
  }
}

const nameOf = ({ id, flag, comment, valid }: SignatureVector): string =>
  `${valid ? 'accepts' : 'refuses'} vector ${id} (${comment === '' ? flag : comment})`

for (const [library, signaturesOf] of IMPLEMENTATIONS)
  describe(`Wycheproof: Ed25519 by ${library}`, () => {
    for (const vector of ED25519_VECTORS) {
      it(nameOf(vector), async () => {
        const { message, signature, valid } = vector
        const { verify } = await signaturesOf(halvesOf(vector))
        expect(verify(message, signature)).to.equal(valid)
      })
    }
  })

const [first] = ED25519_VECTORS
const x = base64url(first?.publicKey ?? '')
const pair = ed25519(ED25519_SECRET, x)
const ofFirstKey = ED25519_VECTORS.filter(({ publicKey }) => base64url(publicKey) === x)

describe('Wycheproof: the first key, read like the service’s keys', () => {
  it('is a valid pair with the same halves', () => {
    expect(pair).to.include({ d: ED25519_SECRET, x })
  })

  for (const { id, message, signature } of ofFirstKey.filter(({ valid }) => valid)) {
    it(`produces the signature of vector ${id}, the only correct one`, () => {
      if (pair === undefined) throw new Error('no pair')
      expect(base64url(sign(null, message, pair.privateKey))).to.equal(base64url(signature))
    })
  }

  // The vectors sign other messages than tokens, so no token may have their signatures.
  const keyOf = (purpose: 'application' | 'user') =>
    aKey({
      purpose,
      kid: thumbprint({ x }),
      material:
        purpose === 'user'
          ? `k4.secret.${base64url(Buffer.concat([bytesOf(ED25519_SECRET), bytesOf(x)]))}`
          : JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x, d: ED25519_SECRET }),
    })

  const claims = { iss: 'i', sub: 's', iat: 0, exp: 1, jti: 'j' }
  const application = { ...claims, client_id: 's', aud: 'i', scope: 'x' }
  const user = { ...claims, sid: 'd', auth_time: 0, acr: 'aal1', amr: ['pwd'] }
  const written = JSON.stringify({
    ...user,
    iat: '1970-01-01T00:00:00.000Z',
    exp: '1970-01-01T00:00:01.000Z',
    auth_time: '1970-01-01T00:00:00.000Z',
  })

  const jwtWith = (signature: (signed: Buffer) => Uint8Array): string =>
    forgeJws(JSON.stringify(jwtHeader(keyOf('application'))), JSON.stringify(application), signature)
  const pasetoWith = (signature: Uint8Array): string =>
    `v4.public.${base64url(Buffer.concat([Buffer.from(written), signature]))}.${base64url(pasetoFooter(keyOf('user')))}`

  for (const { id, signature } of ofFirstKey) {
    it(`refuses a token with the signature of vector ${id}`, async () => {
      const invalid = { _tag: 'InvalidToken' }
      const jwt = jwtWith(() => signature)
      expect(await fail(jwtApplicationTokens().verify(jwt, [keyOf('application')]))).to.deep.equal(invalid)
      const paseto = pasetoWith(signature)
      expect(await fail(pasetoUserTokens().verify(paseto, [keyOf('user')]))).to.deep.equal(invalid)
    })
  }

  it('accepts tokens of both kinds with its own signatures', async () => {
    const jwt = jwtWith((signed) => sign(null, signed, privateKeyOf(keyOf('application'))))
    expect(await succeed(jwtApplicationTokens().sign(application, keyOf('application')))).to.equal(jwt)
    expect(await succeed(jwtApplicationTokens().verify(jwt, [keyOf('application')]))).to.deep.equal(
      application,
    )
    const paseto = forgePaseto(keyOf('user'), written)
    expect(pasetoWith(bytesOf(paseto.split('.')[2] ?? '').subarray(-64))).to.equal(paseto)
    expect(await succeed(pasetoUserTokens().verify(paseto, [keyOf('user')]))).to.deep.equal(user)
  })
})

describe('RFC 8037, appendix A', () => {
  const rfc = ed25519(RFC8037.d, RFC8037.x)
  const key = aKey({
    purpose: 'application',
    kid: RFC8037.thumbprint,
    material: JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: RFC8037.x, d: RFC8037.d }),
  })

  it('A.4: jose makes and accepts the same signature with that key', async () => {
    if (rfc === undefined) throw new Error('no pair')
    const { payload } = await compactVerify(RFC8037.jws, rfc.publicKey, { algorithms: ['EdDSA'] })
    expect(Buffer.from(payload).toString()).to.equal(RFC8037.payload)
    const signed = new CompactSign(Buffer.from(RFC8037.payload)).setProtectedHeader({ alg: 'EdDSA' })
    expect(await signed.sign(rfc.privateKey)).to.equal(RFC8037.jws)
  })

  it('A.3: the key id is the thumbprint', () => {
    expect(thumbprint(RFC8037)).to.equal(RFC8037.thumbprint)
  })

  it('A.4: the example is refused as an application token because of its header, although the key matches', async () => {
    expect(await fail(jwtApplicationTokens().verify(RFC8037.jws, [key]))).to.deep.equal({
      _tag: 'InvalidToken',
    })
  })
})
