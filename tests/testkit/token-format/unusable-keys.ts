import assert from 'node:assert/strict'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import type { SigningKey } from '../../../domain/signing-key.ts'
import { ok, refused } from '../outcome.ts'
import type { AnyClaims, Check, Kind } from '../token-format.ts'
import { INVALID } from './keys.ts'
import { base64url } from './web-crypto.ts'

/** A key with unusable material is reported, and the other keys work. */
export const unusableKeyCases = <Claims extends AnyClaims>(
  check: Check<TokenFormat<Claims>>,
  { claims }: Kind<Claims>,
): void => {
  for (const [what, spoil] of UNUSABLE) {
    check(`nothing is signed with ${what}`, async (tokens, key) => {
      await refused(tokens.sign(claims, spoilt(key, spoil)), { _tag: 'KeyUnusable', kid: key.kid })
    })

    check(`no token is valid under ${what}, and others are beside it`, async (tokens, key) => {
      const bad = spoilt(key, spoil)
      const token = await ok(tokens.sign(claims, key))
      await refused(tokens.verify(token, [bad]), INVALID)
      for (const keys of [
        [bad, key],
        [key, bad],
      ]) {
        assert.deepEqual(await ok(tokens.verify(token, keys)), claims)
      }
    })
  }
}

/** The key, with something else for its material. */
export const spoilt = (key: SigningKey, spoil: (material: string) => string): SigningKey => ({
  ...key,
  material: spoil(key.material),
})

/** What is no key in any format. */
export const UNUSABLE: ReadonlyArray<readonly [what: string, spoil: (material: string) => string]> = [
  ['nothing for a key', () => ''],
  ['a word for a key', () => 'secret'],
  ['null for a key', () => 'null'],
  ['an empty object for a key', () => '{}'],
  ['a symmetric key', () => '{"kty":"oct","k":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}'],
  ['half of a key', (material) => material.slice(0, material.length / 2)],
  ['a key that is still encrypted', (material) => `wrapped.v1$current$${base64url(material)}`],
  ['NULs for a key', () => '\0\0'],
  ['a lone surrogate for a key', () => '\ud800'],
  ['a megabyte for a key', () => 'A'.repeat(2 ** 20)],
]
