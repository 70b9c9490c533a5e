import assert from 'node:assert/strict'
import { left } from 'fp-ts/lib/Either.js'
import type { UserTokens } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import type { UserTokenClaims } from '../../../domain/token.ts'
import { ok } from '../outcome.ts'
import { spoilt, UNUSABLE } from '../token-format/unusable-keys.ts'
import { isPublicKey, isSignedBy } from '../token-format/web-crypto.ts'
import { type Check, type Kind, newKey } from '../token-format.ts'
import { HEADER, parse, signedOf } from './paseto.ts'

/** Others can verify a token with the key that is published, and learn nothing else from it. */
export const publishedKeyCases = (
  check: Check<UserTokens>,
  { claims, purpose }: Kind<UserTokenClaims>,
): void => {
  check(
    'a published key is a public key as PASERK writes it, and has no private part',
    async (tokens, key) => {
      const paserk = await ok(async () => tokens.publicKey(key))
      assert.ok(paserk.startsWith(PASERK))
      assert.ok(isPublicKey(paserk.slice(PASERK.length)))
    },
  )

  check('a key is published as the same each time, and another one as another', async (tokens, key) => {
    const other = await newKey(tokens, purpose)
    assert.equal(await published(tokens, key), await published(tokens, key))
    assert.notEqual(await published(tokens, key), await published(tokens, other))
  })

  check('a token is a PASETO v4.public that says its claims', async (tokens, key) => {
    const token = await ok(tokens.sign(claims, key))
    assert.ok(token.startsWith(HEADER))
    const { iat, exp, ...texts } = JSON.parse(parse(token).message.toString())
    const { iat: _, exp: __, ...expected } = claims
    for (const [name, value] of Object.entries(expected)) assert.equal(texts[name], value, name)
    // Times are RFC 3339 there (PASETO, registered claims).
    assert.deepEqual(
      [iat, exp].map((time) => typeof time === 'string' && Date.parse(time) / 1000),
      [claims.iat, claims.exp],
    )
  })

  check('a token can be verified with the published key, and with no other', async (tokens, key) => {
    const paseto = parse(await ok(tokens.sign(claims, key)))
    const [own, another] = [
      await published(tokens, key),
      await published(tokens, await newKey(tokens, purpose)),
    ]
    assert.equal(await isSignedBy(own, paseto.signature, signedOf(paseto)), true)
    assert.equal(await isSignedBy(another, paseto.signature, signedOf(paseto)), false)
  })

  for (const [what, spoil] of UNUSABLE) {
    check(`nothing is published for ${what}`, async (tokens, key) => {
      const unusable = left({ _tag: 'KeyUnusable', kid: key.kid })
      assert.deepEqual(tokens.publicKey(spoilt(key, spoil)), unusable)
    })
  }
}

const PASERK = 'k4.public.'

/** The 32 bytes of the published key, in base64url. */
const published = async (tokens: UserTokens, key: SigningKey): Promise<string> =>
  (await ok(async () => tokens.publicKey(key))).slice(PASERK.length)
