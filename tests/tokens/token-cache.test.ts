import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { jwtApplicationTokens } from '../../adapters/credentials/jwt/application-tokens.ts'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import { withTokenCache } from '../../adapters/credentials/signing/token-cache.ts'
import type { TokenFormat } from '../../application/ports/token-format.ts'
import type { SigningKey } from '../../domain/signing-key.ts'
import { fail, succeed } from '../support/outcome.ts'
import { newKey } from './subjects.ts'

const INVALID = { _tag: 'InvalidToken' }

const KEY: SigningKey = {
  id: 'key',
  kid: 'kid',
  purpose: 'user',
  material: '',
  createdAtSeconds: 0,
  signsFromSeconds: 0,
  retiresAtSeconds: none,
  retired: false,
  version: 1,
}

/**
 * A format whose tokens are words, valid until withdrawn. A withdrawn token that still verifies was cached. One that
 * fails was not cached.
 */
const wordTokens = () => {
  const withdrawn = new Set<string>()
  let verdict: Promise<void> = Promise.resolve()
  const format: TokenFormat<{ word: string }> = {
    createKey: async () => ({ kid: 'kid', material: '' }),
    sign:
      ({ word }) =>
      async () =>
        right(word),
    keyIdOf: () => none,
    verify: (word) => async () => {
      const good = !withdrawn.has(word)
      await verdict
      return good ? right({ word }) : left({ _tag: 'InvalidToken' })
    },
  }
  return {
    format,
    withdraw: (...words: ReadonlyArray<string>) => words.forEach((word) => void withdrawn.add(word)),
    restore: (word: string) => void withdrawn.delete(word),
    /** Delays every verification from now on, until the returned function is called. */
    hold: () => {
      let release = () => {}
      verdict = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
  }
}

describe('the cache of verified tokens', () => {
  it('returns the same claims without verifying again', async () => {
    const { format, withdraw } = wordTokens()
    const remembering = withTokenCache(format)
    const keys = [KEY]
    await succeed(remembering.verify('one', keys))
    withdraw('one')
    expect(await succeed(remembering.verify('one', keys))).to.deep.equal({ word: 'one' })
  })

  it('is cleared by another array of keys, also for the old array', async () => {
    const { format, withdraw } = wordTokens()
    const remembering = withTokenCache(format)
    const keys = [KEY]
    await succeed(remembering.verify('one', keys))
    withdraw('one')
    expect(await fail(remembering.verify('one', [KEY]))).to.deep.equal(INVALID)
    expect(await fail(remembering.verify('one', keys))).to.deep.equal(INVALID)
  })

  it('does not store a token if the keys changed during verification', async () => {
    const { format, withdraw, hold } = wordTokens()
    const remembering = withTokenCache(format)
    const [before, after] = [[KEY], [KEY]]
    const release = hold()
    const slow = remembering.verify('one', before)()
    const first = remembering.verify('two', after)()
    release()
    expect(await slow).to.deep.equal(right({ word: 'one' }))
    await first
    withdraw('one', 'two')
    expect(await fail(remembering.verify('one', after))).to.deep.equal(INVALID)
    expect(await succeed(remembering.verify('two', after))).to.deep.equal({ word: 'two' })
  })

  it('stores a limited number of tokens and evicts the one not used for longest', async () => {
    const { format, withdraw } = wordTokens()
    const remembering = withTokenCache(format, { capacity: 2 })
    const keys = [KEY]
    for (const word of ['one', 'two', 'one', 'three']) await succeed(remembering.verify(word, keys))
    withdraw('one', 'two', 'three')
    expect(await fail(remembering.verify('two', keys))).to.deep.equal(INVALID)
    expect(await succeed(remembering.verify('one', keys))).to.deep.equal({ word: 'one' })
    expect(await succeed(remembering.verify('three', keys))).to.deep.equal({ word: 'three' })
  })

  it('returns the claims of a token that it signed with one of these keys, without verification', async () => {
    const { format, withdraw } = wordTokens()
    const remembering = withTokenCache(format, { keepsSigned: true })
    const keys = [KEY]
    await succeed(remembering.verify('first', keys))
    for (const [word, key] of [
      ['own', KEY],
      ['other', { ...KEY, id: 'other' }],
    ] as const)
      await succeed(remembering.sign({ word }, key))
    withdraw('own', 'other')
    expect(await succeed(remembering.verify('own', keys))).to.deep.equal({ word: 'own' })
    expect(await fail(remembering.verify('other', keys))).to.deep.equal(INVALID)
    expect(await fail(remembering.verify('own', [KEY]))).to.deep.equal(INVALID)
  })

  it('does not store a refusal', async () => {
    const { format, withdraw, restore } = wordTokens()
    const remembering = withTokenCache(format)
    const keys = [KEY]
    withdraw('one')
    expect(await fail(remembering.verify('one', keys))).to.deep.equal(INVALID)
    restore('one')
    expect(await succeed(remembering.verify('one', keys))).to.deep.equal({ word: 'one' })
  })

  it('gives no room to refused tokens', async () => {
    const { format, withdraw } = wordTokens()
    const remembering = withTokenCache(format, { capacity: 1 })
    const keys = [KEY]
    await succeed(remembering.verify('good', keys))
    withdraw('bad', 'worse')
    await fail(remembering.verify('bad', keys))
    await fail(remembering.verify('worse', keys))
    withdraw('good')
    expect(await succeed(remembering.verify('good', keys))).to.deep.equal({ word: 'good' })
  })

  it('uses one entry when the same token arrives twice at once', async () => {
    const { format, withdraw } = wordTokens()
    const remembering = withTokenCache(format, { capacity: 2 })
    const keys = [KEY]
    await succeed(remembering.verify('first', keys))
    await Promise.all([remembering.verify('twice', keys)(), remembering.verify('twice', keys)()])
    withdraw('first', 'twice')
    expect(await succeed(remembering.verify('first', keys))).to.deep.equal({ word: 'first' })
    expect(await succeed(remembering.verify('twice', keys))).to.deep.equal({ word: 'twice' })
  })

  it('passes texts without the prefix to the format, without lookup, report or entry', async () => {
    const { format, withdraw } = wordTokens()
    const told: Array<boolean> = []
    const remembering = withTokenCache(format, {
      onLookUp: (isKnown) => void told.push(isKnown),
      prefix: 'w.',
    })
    const keys = [KEY]
    for (const word of ['w.one', 'two', 'W.three', '']) await succeed(remembering.verify(word, keys))
    withdraw('w.one', 'two', 'W.three', '')
    expect(await succeed(remembering.verify('w.one', keys))).to.deep.equal({ word: 'w.one' })
    for (const word of ['two', 'W.three', ''])
      expect(await fail(remembering.verify(word, keys))).to.deep.equal(INVALID)
    expect(told).to.deep.equal([false, true])
  })

  it('otherwise behaves as the wrapped format', async () => {
    const remembering = withTokenCache(jwtApplicationTokens())
    const key = await newKey({ format: remembering, purpose: 'application' })
    expect(remembering.publicJwk(key)).to.deep.equal(jwtApplicationTokens().publicJwk(key))
    const users = withTokenCache(pasetoUserTokens())
    const userKey = await newKey({ format: users, purpose: 'user' })
    expect(users.publicKey(userKey)).to.deep.equal(pasetoUserTokens().publicKey(userKey))
  })
})
