import assert from 'node:assert/strict'
import { type Either, left } from 'fp-ts/lib/Either.js'
import type { KeyUnusable, TokenFormat } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { ok } from '../outcome.ts'
import { type AnyClaims, type Check, type Kind, newKey } from '../token-format.ts'
import { spoilt, UNUSABLE } from './unusable-keys.ts'
import { isSignedBy } from './web-crypto.ts'

/** How a kind of token publishes its keys, and where its signature is. */
export type Publication<Format> = Readonly<{
  publish: (tokens: Format, key: SigningKey) => Either<KeyUnusable, unknown>
  /** The 32 bytes of the published key, in base64url. */
  publicKeyOf: (tokens: Format, key: SigningKey) => Promise<string>
  signatureOf: (token: string) => Readonly<{ signed: Uint8Array; signature: Uint8Array }>
}>

/** Others can verify a token with the key that is published, and learn nothing else from it. */
export const publishedCases = <Claims extends AnyClaims, Format extends TokenFormat<Claims>>(
  check: Check<Format>,
  { claims, purpose }: Kind<Claims>,
  { publish, publicKeyOf, signatureOf }: Publication<Format>,
): void => {
  check('a key is published as the same each time, and another one as another', async (tokens, key) => {
    const other = await newKey(tokens, purpose)
    assert.deepEqual(publish(tokens, key), publish(tokens, key))
    assert.notEqual(await publicKeyOf(tokens, key), await publicKeyOf(tokens, other))
  })

  check('a token can be verified with the published key, and with no other', async (tokens, key) => {
    const { signed, signature } = signatureOf(await ok(tokens.sign(claims, key)))
    const own = await publicKeyOf(tokens, key)
    const another = await publicKeyOf(tokens, await newKey(tokens, purpose))
    assert.equal(await isSignedBy(own, signature, signed), true)
    assert.equal(await isSignedBy(another, signature, signed), false)
  })

  for (const [what, spoil] of UNUSABLE) {
    check(`nothing is published for ${what}`, async (tokens, key) => {
      assert.deepEqual(publish(tokens, spoilt(key, spoil)), left({ _tag: 'KeyUnusable', kid: key.kid }))
    })
  }
}
