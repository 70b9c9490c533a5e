import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import type { TokenFormat } from '../../../application/ports/token-format.ts'
import { ok, refused } from '../outcome.ts'
import { type AnyClaims, type Check, type Kind, newKey } from '../token-format.ts'

export const INVALID = { _tag: 'InvalidToken' } as const

/** A token is good under the key that signed it, as long as that is there, and under no other. */
export const keyCases = <Claims extends AnyClaims>(
  check: Check<TokenFormat<Claims>>,
  { claims, purpose }: Kind<Claims>,
): void => {
  check('each new key differs, also of concurrent calls', async (tokens) => {
    const keys = await Promise.all(Array.from({ length: 4 }, () => tokens.createKey()))
    keys.push(await tokens.createKey())
    assert.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length)
    assert.equal(new Set(keys.map(({ material }) => material)).size, keys.length)
  })

  check(
    'a new key is of texts that a store can hold, and does not begin as encrypted ones do',
    async (tokens) => {
      const { kid, material } = await tokens.createKey()
      for (const text of [kid, material])
        assert.ok(text !== '' && text.isWellFormed() && !text.includes('\0'))
      assert.ok(!material.startsWith('wrapped.'))
    },
  )

  check('a token is valid under its key, at any place in the list of keys', async (tokens, key) => {
    const [first, second] = [await newKey(tokens, purpose), await newKey(tokens, purpose)]
    const keys = [first, key, second]
    for (const signing of keys) {
      const token = await ok(tokens.sign(claims, signing))
      assert.deepEqual(await ok(tokens.verify(token, keys)), claims)
      assert.deepEqual(await ok(tokens.verify(token, [...keys].reverse())), claims)
    }
  })

  check('a token is invalid after its key is removed', async (tokens, key) => {
    const other = await newKey(tokens, purpose)
    const token = await ok(tokens.sign(claims, key))
    await ok(tokens.verify(token, [key, other]))
    for (const keys of [[other], []]) {
      await refused(tokens.verify(token, keys), INVALID)
      await ok(tokens.verify(token, [other, key]))
    }
  })

  check('a token names the key that signed it', async (tokens, key) => {
    const other = await newKey(tokens, purpose)
    for (const signing of [key, other, key]) {
      const token = await ok(tokens.sign(claims, signing))
      assert.deepEqual(tokens.keyIdOf(token), some(signing.kid))
    }
  })

  check('a token that another key has signed is invalid', async (tokens, key) => {
    const other = await newKey(tokens, purpose)
    const token = await ok(tokens.sign(claims, other))
    await refused(tokens.verify(token, [key]), INVALID)
  })

  check('a token that another key has signed under the id of a known one is invalid', async (tokens, key) => {
    await ok(tokens.verify(await ok(tokens.sign(claims, key)), [key]))
    const { material } = await newKey(tokens, purpose)
    // A format whose key ids follow from the keys may say that such a key is none.
    const forged = await tokens.sign(claims, { ...key, material })()
    if (isRight(forged)) await refused(tokens.verify(forged.right, [key]), INVALID)
    else assert.deepEqual(forged.left, { _tag: 'KeyUnusable', kid: key.kid })
  })
}
