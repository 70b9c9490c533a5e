import assert from 'node:assert/strict'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import type { UserTokenClaims } from '../../../domain/token.ts'
import { ok } from '../outcome.ts'
import type { Check, Kind } from '../token-format.ts'

/** A user token says how its user was authenticated, and which roles the user had. */
export const assuranceCases = <Claims extends UserTokenClaims>(
  check: Check<TokenFormat<Claims>>,
  { claims }: Kind<Claims>,
): void => {
  check('a token has each method of the authentication, in their order', async (tokens, key) => {
    for (const amr of [['pwd'], ['pwd', 'otp', 'mfa'], ['mfa', 'pwd', 'otp', 'pwd'], ['Zoë 店 🦊', ''], []]) {
      const signed: Claims = { ...claims, amr }
      const token = await ok(tokens.sign(signed, key))
      assert.deepEqual(await ok(tokens.verify(token, [key])), signed)
    }
  })

  check('a token has its own time of the authentication', async (tokens, key) => {
    for (const auth_time of [0, claims.iat, END_OF_9999]) {
      const signed: Claims = { ...claims, auth_time }
      const token = await ok(tokens.sign(signed, key))
      assert.deepEqual(await ok(tokens.verify(token, [key])), signed)
    }
  })

  check('a token has the roles of its user, and none of a user without roles', async (tokens, key) => {
    const most = Array.from({ length: 20 }, (_, index) => `shop:role-${index}/of.a_user`)
    for (const given of [{ roles: ['editor', 'shop:admin'] }, { roles: most }, {}]) {
      const signed: Claims = { ...claims, ...given }
      const token = await ok(tokens.sign(signed, key))
      assert.deepEqual(await ok(tokens.verify(token, [key])), signed)
    }
  })
}

/** The last second that RFC 3339 can write. */
const END_OF_9999 = 253_402_300_799
