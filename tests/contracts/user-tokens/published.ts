import assert from 'node:assert/strict'
import type { PublicPaserk, UserTokens } from '../../../application/ports/token-format.ts'
import type { UserTokenClaims } from '../../../domain/token.ts'
import { ok } from '../outcome.ts'
import { type Publishing, publishedCases } from '../token-format/published.ts'
import { isPublicKey } from '../token-format/web-crypto.ts'
import type { Check, Kind } from '../token-format.ts'
import { HEADER, parse, signedOf } from './paseto.ts'

const PASERK = 'k4.public.'

const AS_PASERK: Publishing<UserTokens, PublicPaserk> = {
  publish: (tokens, key) => tokens.publicKey(key),
  bytesOf: (paserk) => paserk.slice(PASERK.length),
  takeApart: (token) => {
    const paseto = parse(token)
    return { signature: paseto.signature, signed: signedOf(paseto) }
  },
}

/** Others can verify a token with the key that is published, and learn nothing else from it. */
export const publishedKeyCases = (check: Check<UserTokens>, kind: Kind<UserTokenClaims>): void => {
  check(
    'a published key is a public key as PASERK writes it, and has no private part',
    async (tokens, key) => {
      const paserk = await ok(async () => tokens.publicKey(key))
      assert.ok(paserk.startsWith(PASERK))
      assert.ok(isPublicKey(paserk.slice(PASERK.length)))
    },
  )

  check('a token is a PASETO v4.public that says its claims', async (tokens, key) => {
    const { claims } = kind
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

  publishedCases(check, kind, AS_PASERK)
}
