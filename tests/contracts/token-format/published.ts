import assert from 'node:assert/strict'
import { type Either, left } from 'fp-ts/lib/Either.js'
import type { KeyUnusable, TokenFormat } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { ok } from '../outcome.ts'
import { type Check, type Kind, newKey } from '../token-format.ts'
import { spoilt, UNUSABLE } from './unusable-keys.ts'
import { isSignedBy } from './web-crypto.ts'

/** How a format publishes its keys, and what the signature in a token is of. */
export type Publishing<Format, PublicKey> = Readonly<{
  publish: (tokens: Format, key: SigningKey) => Either<KeyUnusable, PublicKey>
  /** The 32 bytes of a published key, in base64url. */
  bytesOf: (published: PublicKey) => string
  takeApart: (token: string) => Readonly<{ signature: Uint8Array; signed: Uint8Array }>
}>

/** Others can verify a token with the key that is published. */
export const publishedCases = <Claims, Format extends TokenFormat<Claims>, PublicKey>(
  check: Check<Format>,
  { claims, purpose }: Kind<Claims>,
  { publish, bytesOf, takeApart }: Publishing<Format, PublicKey>,
): void => {
  const published = (tokens: Format, key: SigningKey) => ok(async () => publish(tokens, key))

  check('a key is published as the same each time, and another one as another', async (tokens, key) => {
    const other = await newKey(tokens, purpose)
    assert.deepEqual(await published(tokens, key), await published(tokens, key))
    assert.notEqual(bytesOf(await published(tokens, key)), bytesOf(await published(tokens, other)))
  })

  check('a token can be verified with the published key, and with no other', async (tokens, key) => {
    const { signature, signed } = takeApart(await ok(tokens.sign(claims, key)))
    const own = bytesOf(await published(tokens, key))
    const another = bytesOf(await published(tokens, await newKey(tokens, purpose)))
    assert.equal(await isSignedBy(own, signature, signed), true)
    assert.equal(await isSignedBy(another, signature, signed), false)
  })

  for (const [what, spoil] of UNUSABLE) {
    check(`nothing is published for ${what}`, async (tokens, key) => {
      const unusable = left({ _tag: 'KeyUnusable', kid: key.kid })
      assert.deepEqual(publish(tokens, spoilt(key, spoil)), unusable)
    })
  }
}
