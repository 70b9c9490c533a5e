import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { jwtUserTokens } from '../../adapters/credentials/jwt/user-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import type { TokenFormat } from '../../application/ports/token-format.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { SMALL_ORDER } from './curve.ts'
import { base64url } from './forge.ts'
import { eachSubject, newKey } from './subjects.ts'
import { FIXED } from './vectors/fixed-tokens.ts'

const { d, x } = FIXED
const OTHER_X = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

const bytes = (...halves: ReadonlyArray<string>): string =>
  base64url(Buffer.concat(halves.map((half) => Buffer.from(half, 'base64url'))))

/** Texts that neither format accepts as a key. */
const FOREIGN: ReadonlyArray<readonly [what: string, material: string]> = [
  ['nothing', ''],
  ['a word', 'secret'],
  ['null', 'null'],
  ['an empty object', '{}'],
  ['a list', '[]'],
  ['a public JWK', JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x })],
  ['a JWK of another curve', JSON.stringify({ kty: 'OKP', crv: 'X25519', x, d })],
  ['a JWK of another key type', JSON.stringify({ kty: 'EC', crv: 'Ed25519', x, d })],
  ['a JWK whose halves do not match', JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: OTHER_X, d })],
  ['a JWK with half a private key', JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x, d: d.slice(0, 20) })],
  ['a symmetric JWK', JSON.stringify({ kty: 'oct', k: d })],
  ['a PASERK public key', `k4.public.${x}`],
  ['a PASERK secret key of version 2', `k2.secret.${bytes(d, x)}`],
  ['a PASERK local key', `k4.local.${d}`],
  ['a PASERK secret key without the public half', `k4.secret.${bytes(d)}`],
  ['a PASERK secret key whose halves do not match', `k4.secret.${bytes(d, OTHER_X)}`],
  ['a PASERK secret key with trailing bytes', `k4.secret.${bytes(d, x, d)}`],
  ...SMALL_ORDER.flatMap(
    ([what, point]) =>
      [
        [
          `a JWK with ${what} as its public half`,
          JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: base64url(point), d }),
        ],
        [`a PASERK secret key with ${what} as its public half`, `k4.secret.${bytes(d, base64url(point))}`],
      ] as const,
  ),
]

const OTHER_FORMAT = {
  application: pasetoUserTokens(),
  user: jwtApplicationTokens(),
  user_jwt: pasetoUserTokens(),
}

eachSubject(({ name, format, purpose, claims }) => {
  describe(`${name}: a signing key with the material`, () => {
    let good: SigningKey
    before(async () => {
      good = await newKey({ format, purpose })
    })

    const cannotBeUsed = async (material: string) => {
      const bad = { ...good, material }
      expect(await fail(format.sign(claims, bad))).to.deep.equal({ _tag: 'KeyUnusable', kid: good.kid })
      const token = await succeed(format.sign(claims, good))
      expect(await fail(format.verify(token, [bad]))).to.deep.equal({ _tag: 'InvalidToken' })
      // The other keys remain usable.
      expect(await succeed(format.verify(token, [bad, good]))).to.deep.equal(claims)
    }

    for (const [what, material] of FOREIGN) {
      it(`${what} cannot be used`, () => cannotBeUsed(material))
    }

    it('a key pair under the id of another key cannot be used', async () => {
      await cannotBeUsed((await newKey({ format, purpose })).material)
    })

    it('a key of the other format cannot be used', async () => {
      await cannotBeUsed((await OTHER_FORMAT[purpose].createKey()).material)
    })
  })
})

describe('a signing key of the other kind of JWT', () => {
  for (const [format, purpose] of [
    [jwtApplicationTokens(), 'user_jwt'],
    [jwtUserTokens(), 'application'],
  ] as const)
    it(`cannot be used: ${purpose}`, async () => {
      const key = await newKey({ format, purpose })
      const unusable = { _tag: 'KeyUnusable', kid: key.kid }
      expect(await fail((format as TokenFormat<unknown>).sign({}, key))).to.deep.equal(unusable)
      expect(format.publicJwk(key)).to.deep.equal(left(unusable))
    })
})

describe('the public half of a key', () => {
  const keyOf = (kid: string, material: string): SigningKey => ({
    id: 'k',
    kid,
    purpose: 'application',
    material,
    createdAtSeconds: 0,
    signsFromSeconds: 0,
    retiresAtSeconds: none,
    retired: false,
    version: 1,
  })
  const publicJwk = (kid: string, material: string) => jwtApplicationTokens().publicJwk(keyOf(kid, material))
  const publicKey = (kid: string, material: string) =>
    pasetoUserTokens().publicKey({ ...keyOf(kid, material), purpose: 'user' })
  const JWK = JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x, d })

  it('is available under its own id', () => {
    expect(publicJwk(FIXED.kid, JWK)).to.have.property('_tag', 'Right')
    expect(publicKey(FIXED.kid, FIXED.paserk)).to.have.property('_tag', 'Right')
  })

  it('is not available under the id of another key', () => {
    const kid = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' // the key in RFC 8037, appendix A.3
    const unusable = { _tag: 'Left', left: { _tag: 'KeyUnusable', kid } }
    expect(publicJwk(kid, JWK)).to.deep.equal(unusable)
    expect(publicKey(kid, FIXED.paserk)).to.deep.equal(unusable)
  })

  for (const [what, material] of FOREIGN) {
    it(`is not available from ${what}`, () => {
      const unusable = { _tag: 'Left', left: { _tag: 'KeyUnusable', kid: FIXED.kid } }
      expect(publicJwk(FIXED.kid, material)).to.deep.equal(unusable)
      expect(publicKey(FIXED.kid, material)).to.deep.equal(unusable)
    })
  }
})
