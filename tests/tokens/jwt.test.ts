import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { calculateJwkThumbprint, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { jwtApplicationTokens } from '../../adapters/jwt/application-tokens.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { base64url, forgeJwt, jwtHeader } from './forge.ts'
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
  it('is the one that others compute', async () => {
    expect(await succeed(format.sign(claims, fixedKey))).to.equal(FIXED.jwt.token)
    expect(await succeed(format.verify(FIXED.jwt.token, [fixedKey]))).to.deep.equal(claims)
  })

  it('has a header of exactly alg, typ and kid', async () => {
    const key = await newKey({ format, purpose: 'application' })
    const token = await succeed(format.sign(claims, key))
    expect(decodeProtectedHeader(token)).to.deep.equal({ alg: 'EdDSA', typ: 'at+jwt', kid: key.kid })
  })

  it('can be verified by anybody who has the published keys', async () => {
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
  it('is published without its secret half', () => {
    expect(format.publicJwk(fixedKey)).to.deep.equal(
      right({ kty: 'OKP', crv: 'Ed25519', x: FIXED.x, kid: FIXED.kid, use: 'sig', alg: 'EdDSA' }),
    )
  })

  it('is named by its RFC 7638 thumbprint', async () => {
    const { kid, material } = await format.createKey()
    const { kty, crv, x } = JSON.parse(material)
    expect(kid).to.equal(await calculateJwkThumbprint({ kty, crv, x }))
  })

  it('is kept as a private JWK', async () => {
    const { material } = await format.createKey()
    const jwk = JSON.parse(material)
    expect(jwk).to.have.all.keys('kty', 'crv', 'x', 'd')
    expect(jwk).to.deep.include({ kty: 'OKP', crv: 'Ed25519' })
  })
})

describe('an application token with the right signature and another header', () => {
  const good = jwtHeader(fixedKey)
  const { kid: _, ...withoutKid } = good
  const HEADERS: ReadonlyArray<readonly [what: string, header: string]> = [
    ['alg none', JSON.stringify({ ...good, alg: 'none' })],
    ['alg HS256', JSON.stringify({ ...good, alg: 'HS256' })],
    ['alg Ed25519', JSON.stringify({ ...good, alg: 'Ed25519' })],
    ['alg in lower case', JSON.stringify({ ...good, alg: 'eddsa' })],
    ['typ JWT', JSON.stringify({ ...good, typ: 'JWT' })],
    ['typ in capitals', JSON.stringify({ ...good, typ: 'AT+JWT' })],
    ['typ as a full media type', JSON.stringify({ ...good, typ: 'application/at+jwt' })],
    ['no typ', JSON.stringify({ alg: 'EdDSA', kid: fixedKey.kid })],
    ['no kid', JSON.stringify(withoutKid)],
    ['another kid', JSON.stringify({ ...good, kid: 'another' })],
    ['crit', JSON.stringify({ ...good, crit: ['exp'] })],
    ['jwk', JSON.stringify({ ...good, jwk: { kty: 'OKP', crv: 'Ed25519', x: FIXED.x } })],
    ['jku', JSON.stringify({ ...good, jku: 'https://evil.example/jwks.json' })],
    ['x5u', JSON.stringify({ ...good, x5u: 'https://evil.example/cert.pem' })],
    ['cty', JSON.stringify({ ...good, cty: 'JWT' })],
    ['zip', JSON.stringify({ ...good, zip: 'DEF' })],
    ['b64', JSON.stringify({ ...good, b64: true })],
    ['a space in it', JSON.stringify(good).replace(':', ': ')],
    ['a member twice', JSON.stringify(good).replace('{', '{"alg":"none",')],
    ['its members in another order', JSON.stringify({ typ: 'at+jwt', alg: 'EdDSA', kid: fixedKey.kid })],
    ['nothing in it', ''],
    ['a list', '[]'],
  ]
  for (const [what, header] of HEADERS) {
    it(`is refused: ${what}`, async () => {
      const token = forgeJwt(fixedKey, JSON.stringify(claims), header)
      expect(await fail(format.verify(token, [fixedKey]))).to.deep.equal({ _tag: 'InvalidToken' })
    })
  }

  it('is good when the header is the right one', async () => {
    const token = forgeJwt(fixedKey, JSON.stringify(claims))
    expect(await succeed(format.verify(token, [fixedKey]))).to.deep.equal(claims)
  })
})

describe('an application token without a signature of its key', () => {
  const unsigned = (header: object) =>
    `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`
  const hmac = (header: object, secret: string | Uint8Array) =>
    `${unsigned(header)}.${createHmac('sha256', secret).update(unsigned(header)).digest('base64url')}`
  const good = jwtHeader(fixedKey)

  const TOKENS: ReadonlyArray<readonly [what: string, token: string]> = [
    ['alg none and no signature', `${unsigned({ ...good, alg: 'none' })}.`],
    ['the right header and no signature', `${unsigned(good)}.`],
    ['the right header and 64 zero bytes', `${unsigned(good)}.${base64url(new Uint8Array(64))}`],
    [
      'HS256 with the public key for a secret',
      hmac({ ...good, alg: 'HS256' }, Buffer.from(FIXED.x, 'base64url')),
    ],
    ['HS256 with the public key as text for a secret', hmac({ ...good, alg: 'HS256' }, FIXED.x)],
    ['the right header and such a signature', hmac(good, Buffer.from(FIXED.x, 'base64url'))],
    ['five parts, as an encrypted one', `${unsigned(good)}.a.b.c`],
  ]
  for (const [what, token] of TOKENS) {
    it(`is refused: ${what}`, async () => {
      expect(await fail(format.verify(token, [fixedKey]))).to.deep.equal({ _tag: 'InvalidToken' })
    })
  }
})
