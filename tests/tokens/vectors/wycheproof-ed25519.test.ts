import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { CompactSign, compactVerify } from 'jose'
import { jwtApplicationTokens } from '../../../adapters/credentials/jwt/application-tokens.ts'
import { ed25519, thumbprint } from '../../../adapters/credentials/signing/ed25519.ts'
import type { KeyHalves } from '../../../adapters/credentials/signing/signatures.ts'
import { fail } from '../../support/outcome.ts'
import { aKey } from '../../testkit/builders.ts'
import { base64url } from '../forge.ts'
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

const [_first] = ED25519_VECTORS

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
