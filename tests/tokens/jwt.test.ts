import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { succeed } from '../support/outcome.ts'
import { newKey } from './subjects.ts'
import { FIXED } from './vectors/fixed-tokens.ts'

const format = jwtApplicationTokens()
const { claims } = FIXED.jwt

const fixedKey: SigningKey = {
  id: 'application-1',
  kid: FIXED.kid,
  purpose: 'application',
  material: JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: FIXED.x, d: FIXED.d }),
  createdAtSeconds: 0,
  signsFromSeconds: 0,
  retiresAtSeconds: none,
  retired: false,
  version: 1,
}

describe('an application token', () => {
  it('equals the independently computed token', async () => {
    expect(await succeed(format.sign(claims, fixedKey))).to.equal(FIXED.jwt.token)
    expect(await succeed(format.verify(FIXED.jwt.token, [fixedKey]))).to.deep.equal(claims)
  })

  it('has a header of exactly alg, typ and kid', async () => {
    const key = await newKey({ format, purpose: 'application' })
    const token = await succeed(format.sign(claims, key))
    expect(decodeProtectedHeader(token)).to.deep.equal({ alg: 'EdDSA', typ: 'at+jwt', kid: key.kid })
  })

  it('can be verified with the published keys', async () => {
    const key = await newKey({ format, purpose: 'application' })
    const published = [fixedKey, key].map((one) => {
      const jwk = format.publicJwk(one)
      if (jwk._tag === 'Left') throw new Error('it cannot be published')
      return jwk.right
    })
    const { payload } = await jwtVerify(
      await succeed(format.sign(claims, key)),
      createLocalJWKSet({ keys: published }),
      {
        algorithms: ['EdDSA'],
        typ: 'at+jwt',
        issuer: claims.iss,
        audience: claims.aud,
        currentDate: new Date(claims.iat * 1000),
      },
    )
    expect(payload).to.deep.equal(claims)
  })
})

describe('the key of application tokens', () => {
  it('is published without its private half', () => {
    expect(format.publicJwk(fixedKey)).to.deep.equal(
      right({ kty: 'OKP', crv: 'Ed25519', x: FIXED.x, kid: FIXED.kid, use: 'sig', alg: 'EdDSA' }),
    )
  })

  it('is named by its RFC 7638 thumbprint', async () => {
    const { kid, material } = await format.createKey()
    const { kty, crv, x } = JSON.parse(material)
    expect(kid).to.equal(await calculateJwkThumbprint({ kty, crv, x }))
  })

  it('is stored as a private JWK', async () => {
    const { material } = await format.createKey()
    const jwk = JSON.parse(material)
    expect(jwk).to.have.all.keys('kty', 'crv', 'x', 'd')
    expect(jwk).to.deep.include({ kty: 'OKP', crv: 'Ed25519' })
  })
})
