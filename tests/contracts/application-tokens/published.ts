import assert from 'node:assert/strict'
import type { ApplicationTokens, PublicJwk } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import type { ApplicationTokenClaims } from '../../../domain/token.ts'
import { ok } from '../outcome.ts'
import { type Publishing, publishedCases } from '../token-format/published.ts'
import { bytesOf, isPublicKey } from '../token-format/web-crypto.ts'
import type { Check, Kind } from '../token-format.ts'

const AS_JWK: Publishing<ApplicationTokens, PublicJwk> = {
  publish: (tokens, key) => tokens.publicJwk(key),
  bytesOf: ({ x }) => x,
  takeApart: (token) => {
    const [header = '', payload = '', signature = ''] = token.split('.')
    return { signature: bytesOf(signature), signed: Buffer.from(`${header}.${payload}`) }
  },
}

/** Others can verify a token with the key that is published, and learn nothing else from it. */
export const publishedJwkCases = (
  check: Check<ApplicationTokens>,
  kind: Kind<ApplicationTokenClaims>,
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
    const parts = (await ok(tokens.sign(kind.claims, key))).split('.')
    assert.equal(parts.length, 3)
    const [header, payload] = parts
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    assert.equal(header.alg, 'EdDSA')
    assert.equal(header.kid, key.kid)
    for (const [name, value] of Object.entries(kind.claims)) assert.equal(payload[name], value, name)
  })

  publishedCases(check, kind, AS_JWK)
}

export const published = async (tokens: ApplicationTokens, key: SigningKey): Promise<PublicJwk> =>
  ok(async () => tokens.publicJwk(key))
