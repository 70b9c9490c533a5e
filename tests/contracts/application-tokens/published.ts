import assert from 'node:assert/strict'
import { left } from 'fp-ts/lib/Either.js'
import type { ApplicationTokens, PublicJwk } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import type { ApplicationTokenClaims } from '../../../domain/token.ts'
import { ok } from '../outcome.ts'
import { spoilt, UNUSABLE } from '../token-format/unusable-keys.ts'
import { bytesOf, isPublicKey, isSignedBy } from '../token-format/web-crypto.ts'
import { type Check, type Kind, newKey } from '../token-format.ts'

/** Others can verify a token with the key that is published, and learn nothing else from it. */
export const publishedJwkCases = (
  check: Check<ApplicationTokens>,
  { claims, purpose }: Kind<ApplicationTokenClaims>,
): void => {
  check(
    'a published key is a public Ed25519 key under its id, and has no private part',
    async (tokens, key) => {
      const { x, ...others } = await published(tokens, key)
      assert.deepEqual(others, { kty: 'OKP', crv: 'Ed25519', kid: key.kid, use: 'sig', alg: 'EdDSA' })
      assert.ok(isPublicKey(x))
    },
  )

  check('a key is published as the same each time, and another one as another', async (tokens, key) => {
    const other = await newKey(tokens, purpose)
    assert.deepEqual(await published(tokens, key), await published(tokens, key))
    assert.notEqual((await published(tokens, key)).x, (await published(tokens, other)).x)
  })

  check('a token is a JWT that names its algorithm and its key, and says its claims', async (tokens, key) => {
    const parts = (await ok(tokens.sign(claims, key))).split('.')
    assert.equal(parts.length, 3)
    const [header, payload] = parts
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
    assert.equal(header.alg, 'EdDSA')
    assert.equal(header.kid, key.kid)
    for (const [name, value] of Object.entries(claims)) assert.equal(payload[name], value, name)
  })

  check('a token can be verified with the published key, and with no other', async (tokens, key) => {
    const [header = '', payload = '', signature = ''] = (await ok(tokens.sign(claims, key))).split('.')
    const signed = Buffer.from(`${header}.${payload}`)
    const { x } = await published(tokens, key)
    const { x: another } = await published(tokens, await newKey(tokens, purpose))
    assert.equal(await isSignedBy(x, bytesOf(signature), signed), true)
    assert.equal(await isSignedBy(another, bytesOf(signature), signed), false)
  })

  for (const [what, spoil] of UNUSABLE) {
    check(`nothing is published for ${what}`, async (tokens, key) => {
      const unusable = left({ _tag: 'KeyUnusable', kid: key.kid })
      assert.deepEqual(tokens.publicJwk(spoilt(key, spoil)), unusable)
    })
  }
}

export const published = async (tokens: ApplicationTokens, key: SigningKey): Promise<PublicJwk> =>
  ok(async () => tokens.publicJwk(key))
