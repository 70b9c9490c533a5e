import assert from 'node:assert/strict'
import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import { isSome, none } from 'fp-ts/lib/Option.js'
import type { KeyWrapping, WrappedKey } from '../../application/ports/key-wrapping.ts'
import type { Runner } from './runner.ts'

/** Two key-encryption keys. Each name stands for the same key throughout a case. */
export type KeyEncryptionKeyName = 'first' | 'second'

/**
 * Opens a wrapping with these key-encryption keys. The first of the list wraps, and all of them unwrap. With an empty list, the wrapping
 * leaves material as it is. The suite calls `close` at the end of a case.
 */
export type OpenKeyWrapping = (keys: ReadonlyArray<KeyEncryptionKeyName>) => Promise<OpenedKeyWrapping>
export type OpenedKeyWrapping = Readonly<{ wrapping: KeyWrapping; close?: () => Promise<void> }>

/**
 * The contract suite of `KeyWrapping`.
 *
 * @param open is called several times in a case
 */
export const keyWrappingContract = ({ it }: Runner, open: OpenKeyWrapping): void => {
  type With = (...keys: ReadonlyArray<KeyEncryptionKeyName>) => Promise<KeyWrapping>
  const check = (name: string, body: (wrappingWith: With) => Promise<void>) =>
    it(name, async () => {
      const opened: Array<OpenedKeyWrapping> = []
      try {
        await body(async (...keys) => {
          const one = await open(keys)
          opened.push(one)
          return one.wrapping
        })
      } finally {
        for (const { close } of opened) await close?.()
      }
    })

  for (const [what, material] of MATERIALS) {
    check(`unwraps what it wrapped: ${what}`, async (wrappingWith) => {
      const wrapping = await wrappingWith('first')
      assert.deepEqual(wrapping.unwrap(wrapping.wrap(material, ADAS), ADAS), right(material))
    })
  }

  check('unwraps the secret of a factor', async (wrappingWith) => {
    const wrapping = await wrappingWith('first')
    assert.deepEqual(wrapping.unwrap(wrapping.wrap(TOTP_SECRET, TOTP), TOTP), right(TOTP_SECRET))
  })

  check('unwraps what another wrapping with the same key wrapped', async (wrappingWith) => {
    const stored = (await wrappingWith('first')).wrap(PASERK, ADAS)
    assert.deepEqual((await wrappingWith('first')).unwrap(stored, ADAS), right(PASERK))
  })

  check('unwraps what was wrapped under a key of before', async (wrappingWith) => {
    const stored = (await wrappingWith('first')).wrap(PASERK, ADAS)
    assert.deepEqual((await wrappingWith('second', 'first')).unwrap(stored, ADAS), right(PASERK))
  })

  check('wraps under the first of its keys', async (wrappingWith) => {
    const stored = (await wrappingWith('second', 'first')).wrap(PASERK, ADAS)
    assert.deepEqual((await wrappingWith('second')).unwrap(stored, ADAS), right(PASERK))
  })

  check('wraps the same material differently each time', async (wrappingWith) => {
    const wrapping = await wrappingWith('first')
    const stored = Array.from({ length: 100 }, () => wrapping.wrap(PASERK, ADAS))
    assert.equal(new Set(stored).size, stored.length)
  })

  check('does not show the material, plain or encoded', async (wrappingWith) => {
    const wrapping = await wrappingWith('first')
    const stored = wrapping.wrap(SECRET, ADAS)
    for (const encoding of ['utf8', 'base64url', 'hex'] as const) {
      const shown = Buffer.from(SECRET).toString(encoding).slice(0, 16)
      assert.ok(!stored.includes(shown), `${encoding}: ${stored}`)
    }
  })

  check('writes a text that a store can hold', async (wrappingWith) => {
    const stored = (await wrappingWith('first')).wrap(PASERK, ADAS)
    assert.ok(!stored.includes('\0'), 'it holds U+0000')
    assert.equal(Buffer.from(stored).toString(), stored)
  })

  for (const [what, other] of OTHERS) {
    check(`does not unwrap for ${what}`, async (wrappingWith) => {
      const wrapping = await wrappingWith('first')
      const stored = wrapping.wrap(PASERK, ADAS)
      assert.ok(isLeft(wrapping.unwrap(stored, other)))
      assert.equal(wrapping.assess(stored, other), 'unreadable')
    })
  }

  check('names the key that it wraps with, and different keys differently', async (wrappingWith) => {
    const [one, other] = [await wrappingWith('first'), await wrappingWith('second', 'first')]
    assert.ok(isSome(one.keyEncryptionKeyId) && isSome(other.keyEncryptionKeyId))
    assert.notEqual(one.keyEncryptionKeyId.value, other.keyEncryptionKeyId.value)
  })

  check('takes material that is not wrapped as its own plain text', async (wrappingWith) => {
    for (const wrapping of [await wrappingWith('first'), await wrappingWith()])
      for (const material of [PASERK, JWK]) assert.deepEqual(wrapping.unwrap(material, ADAS), right(material))
  })

  check('without a key leaves material as it is, and names none', async (wrappingWith) => {
    const wrapping = await wrappingWith()
    assert.deepEqual(wrapping.keyEncryptionKeyId, none)
    for (const material of [PASERK, JWK]) assert.equal(wrapping.wrap(material, ADAS), material)
  })

  check(
    'without the key of stored material says which is missing, and nothing secret',
    async (wrappingWith) => {
      const wrapping = await wrappingWith('first')
      const stored = wrapping.wrap(PASERK, ADAS)
      for (const lacking of [await wrappingWith('second'), await wrappingWith()]) {
        const outcome = lacking.unwrap(stored, ADAS)
        assert.ok(isLeft(outcome))
        assert.equal(outcome.left._tag, 'CannotUnwrap')
        assert.ok(isSome(wrapping.keyEncryptionKeyId))
        assert.ok(outcome.left.reason.includes(wrapping.keyEncryptionKeyId.value), outcome.left.reason)
        assert.ok(!outcome.left.reason.includes(stored.slice(-24)), outcome.left.reason)
      }
    },
  )

  for (const [what, wraps, reads, state] of STATES) {
    check(`calls ${what} ${state}`, async (wrappingWith) => {
      const stored = (await wrappingWith(...wraps)).wrap(PASERK, ADAS)
      assert.equal((await wrappingWith(...reads)).assess(stored, ADAS), state)
    })
  }

  check('answers for any stored text, and assesses it alike', async (wrappingWith) => {
    const wrapping = await wrappingWith('first')
    for (const stored of damaged(wrapping.wrap(PASERK, ADAS))) {
      const outcome = wrapping.unwrap(stored, ADAS)
      if (isRight(outcome)) assert.ok([PASERK, stored].includes(outcome.right), stored)
      assert.equal(wrapping.assess(stored, ADAS) === 'unreadable', isLeft(outcome), stored)
    }
  })
}

export const SECRET = 'k4.secret.AbC_-9AbC_-9AbC_-9AbC_-9AbC_-9AbC_-9'
const PASERK = SECRET
const JWK = JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: 'AbC_', d: 'd-9_' })

export const MATERIALS: ReadonlyArray<readonly [what: string, material: string]> = [
  ['a PASERK', PASERK],
  ['a JWK', JWK],
  ['letters beyond ASCII', 'äöü💥'],
  ['64 KiB', 'k'.repeat(65_536)],
]

const ADAS: WrappedKey = { kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k', purpose: 'user' }

/** A factor with the same id as the signing key. */
const TOTP: WrappedKey = { ...ADAS, purpose: 'totp' }
const TOTP_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

export const OTHERS: ReadonlyArray<readonly [what: string, other: WrappedKey]> = [
  ['another key id', { ...ADAS, kid: `${ADAS.kid}1` }],
  ['another purpose', { ...ADAS, purpose: 'application' }],
  ['a factor with the same id', TOTP],
]

type Keys = ReadonlyArray<KeyEncryptionKeyName>

export const STATES: ReadonlyArray<
  readonly [what: string, wraps: Keys, reads: Keys, state: ReturnType<KeyWrapping['assess']>]
> = [
  ['plain material without a key', [], [], 'current'],
  ['plain material beside a key', [], ['first'], 'outdated'],
  ['what its only key wrapped', ['first'], ['first'], 'current'],
  ['what the first of its keys wrapped', ['first'], ['first', 'second'], 'current'],
  ['what another of its keys wrapped', ['first'], ['second', 'first'], 'outdated'],
  ['what a key wrapped that it lacks', ['first'], ['second'], 'unreadable'],
]

/** Cut short, with a letter more, and with one letter changed. */
const damaged = (stored: string): ReadonlyArray<string> =>
  [...stored].flatMap((letter, at) => [
    stored.slice(0, at),
    `${stored.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${stored.slice(at + 1)}`,
    `${stored.slice(0, at)}$${stored.slice(at)}`,
  ])
