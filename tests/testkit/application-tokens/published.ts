import assert from 'node:assert/strict'
import type { JwtFormat, PublicJwk } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { ok } from '../outcome.ts'
import type { Publication } from '../token-format/published.ts'
import { bytesOf, isPublicKey } from '../token-format/web-crypto.ts'
import type { AnyClaims, Check, Kind } from '../token-format.ts'
import { jsonIn, parse } from './jwt.ts'

/** A published key is a JWK, and a token is a JWT. */
export const jwtCases = <Claims extends AnyClaims>(
  check: Check<JwtFormat<Claims>>,
  { claims }: Kind<Claims>,
): void => {
  check(
    'a published key is a public Ed25519 key under its id, and has no private part',
    async (tokens, key) => {
      const { x, ...others } = await published(tokens, key)
      assert.deepEqual(others, { kty: 'OKP', crv: 'Ed25519', kid: key.kid, use: 'sig', alg: 'EdDSA' })
      assert.ok(isPublicKey(x))
    },
  )

  check('a token is a JWT that names its algorithm and its key, and says its claims', async (tokens, key) => {
    const token = await ok(tokens.sign(claims, key))
    assert.equal(token.split('.').length, 3)
    const { header, payload } = parse(token)
    assert.equal(header.alg, 'EdDSA')
    assert.equal(header.kid, key.kid)
    const said = jsonIn(payload)
    for (const [name, value] of Object.entries(claims)) assert.deepEqual(said[name], value, name)
  })
}

type Publishing = Pick<JwtFormat<never>, 'publicJwk'>

export const published = async (tokens: Publishing, key: SigningKey): Promise<PublicJwk> =>
  ok(async () => tokens.publicJwk(key))

export const JWK: Publication<Publishing> = {
  publish: (tokens, key) => tokens.publicJwk(key),
  publicKeyOf: async (tokens, key) => (await published(tokens, key)).x,
  signatureOf: (token) => {
    const end = token.lastIndexOf('.')
    return { signed: Buffer.from(token.slice(0, end)), signature: bytesOf(token.slice(end + 1)) }
  },
}
