import assert from 'node:assert/strict'
import type { UserTokens } from '../../../application/ports/token-format.ts'
import type { UserTokenClaims } from '../../../domain/token.ts'
import { ok } from '../outcome.ts'
import type { Publication } from '../token-format/published.ts'
import { isPublicKey } from '../token-format/web-crypto.ts'
import type { Check, Kind } from '../token-format.ts'
import { HEADER, parse, signedOf } from './paseto.ts'

/** A published key is a PASERK, and a token is a PASETO. */
export const pasetoCases = (check: Check<UserTokens>, { claims }: Kind<UserTokenClaims>): void => {
  check(
    'a published key is a public key as PASERK writes it, and has no private part',
    async (tokens, key) => {
      const paserk = await ok(async () => tokens.publicKey(key))
      assert.ok(paserk.startsWith(PREFIX))
      assert.ok(isPublicKey(paserk.slice(PREFIX.length)))
    },
  )

  check('a token is a PASETO v4.public that says its claims', async (tokens, key) => {
    const token = await ok(tokens.sign(claims, key))
    assert.ok(token.startsWith(HEADER))
    const { iat, exp, auth_time, ...others } = JSON.parse(parse(token).message.toString())
    const { iat: _, exp: __, auth_time: ___, ...expected } = claims
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(others[name], value, name)
    // Times are RFC 3339 there (PASETO, registered claims).
    assert.deepEqual(
      [iat, exp, auth_time].map((time) => typeof time === 'string' && Date.parse(time) / 1000),
      [claims.iat, claims.exp, claims.auth_time],
    )
  })
}

const PREFIX = 'k4.public.'

export const PASERK: Publication<UserTokens> = {
  publish: (tokens, key) => tokens.publicKey(key),
  publicKeyOf: async (tokens, key) => (await ok(async () => tokens.publicKey(key))).slice(PREFIX.length),
  signatureOf: (token) => {
    const paseto = parse(token)
    return { signed: signedOf(paseto), signature: paseto.signature }
  },
}
