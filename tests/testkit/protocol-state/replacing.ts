import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import { PROTOCOL_KINDS } from '../../../application/ports/protocol-state.ts'
import { ok } from '../outcome.ts'
import type { Check } from '../protocol-state.ts'
import { anEntry, consume, find, found, idOf, leftOf, NEXT, NOW, put, replace } from './steps.ts'

/** An entry is replaced once, and its consumption and the next entry are one change. */
export const replacingCases = (check: Check): void => {
  for (const kind of PROTOCOL_KINDS)
    check(`an entry is replaced once: it is consumed, and the next one is there: ${kind}`, async (state) => {
      const [entry, next] = [anEntry({ kind }), anEntry({ kind, id: NEXT, content: 'next' })]
      await put(state, entry)
      assert.equal(await replace(state, entry, { atSeconds: NOW + 1, next }), true)
      assert.deepEqual(await find(state, entry), found(entry, some(NOW + 1)))
      assert.deepEqual(await find(state, next), found(next))
    })

  check('the next entry may be of another kind and session', async (state) => {
    const code = anEntry({ kind: 'code' })
    const next = anEntry({ id: NEXT, sessionId: some('another'), expiresAtSeconds: NOW + 900 })
    await put(state, code)
    assert.equal(await replace(state, code, { next }), true)
    assert.deepEqual(await find(state, next), found(next))
    assert.deepEqual(await find(state, { ...next, kind: 'code' }), none)
  })

  check('the next entry is replaced in its turn', async (state) => {
    const chain = Array.from({ length: 5 }, (_, index) => anEntry({ id: idOf(index) }))
    await put(state, anEntry({ id: idOf(0) }))
    for (const [index, entry] of chain.slice(0, -1).entries())
      assert.equal(await replace(state, entry, { next: anEntry({ id: idOf(index + 1) }) }), true)
    assert.deepEqual(await leftOf(state, chain), chain)
  })

  check('a replaced entry is not replaced again, and nothing is added', async (state) => {
    const third = anEntry({ id: idOf(3) })
    await put(state, anEntry())
    await replace(state, anEntry(), { atSeconds: NOW + 1 })
    const late = { atSeconds: NOW + 2, keptUntilSeconds: NOW + 2, next: third }
    assert.equal(await replace(state, anEntry(), late), false)
    assert.deepEqual(await find(state, anEntry()), found(anEntry(), some(NOW + 1)))
    assert.deepEqual(await find(state, third), none)
  })

  check('a consumed entry is not replaced, and nothing is added', async (state) => {
    await put(state, anEntry())
    await consume(state, anEntry(), NOW + 1)
    assert.equal(await replace(state, anEntry(), { atSeconds: NOW + 2, keptUntilSeconds: NOW + 2 }), false)
    assert.deepEqual(await find(state, anEntry()), found(anEntry(), some(NOW + 1)))
    assert.deepEqual(await find(state, anEntry({ id: NEXT })), none)
  })

  check('a replaced entry is not consumed', async (state) => {
    await put(state, anEntry())
    await replace(state, anEntry(), { atSeconds: NOW + 1 })
    assert.equal(await consume(state, anEntry(), NOW + 2), false)
    assert.deepEqual(await find(state, anEntry()), found(anEntry(), some(NOW + 1)))
  })

  check('an absent entry is not replaced, and nothing is added', async (state) => {
    const others = PROTOCOL_KINDS.filter((kind) => kind !== 'refresh_token').map((kind) => anEntry({ kind }))
    await put(state, ...others)
    assert.equal(await replace(state, anEntry()), false)
    for (const id of [anEntry().id, NEXT]) assert.deepEqual(await find(state, anEntry({ id })), none)
    for (const entry of others) assert.deepEqual(await find(state, entry), found(entry))
  })

  check('an expired entry can be replaced', async (state) => {
    await put(state, anEntry({ expiresAtSeconds: NOW - 1 }))
    assert.equal(await replace(state, anEntry()), true)
  })

  for (const [what, keptUntilSeconds, expiresAtSeconds] of EXPIRIES)
    check(`a replaced entry expires at the earlier second: ${what}`, async (state) => {
      await put(state, anEntry({ expiresAtSeconds: NOW + 60 }))
      await replace(state, anEntry(), { keptUntilSeconds })
      assert.deepEqual(await find(state, anEntry()), found(anEntry({ expiresAtSeconds }), some(NOW)))
      assert.equal(await ok(state.deleteExpired(expiresAtSeconds + 1, 1)), 1)
    })

  check('of 20 replacements at once, exactly one wins, and only its next entry is there', async (state) => {
    await put(state, anEntry())
    const next = Array.from({ length: 20 }, (_, index) => anEntry({ id: idOf(100 + index) }))
    const outcomes = await Promise.all(next.map((entry) => replace(state, anEntry(), { next: entry })))
    assert.equal(outcomes.filter(Boolean).length, 1)
    assert.deepEqual(
      await leftOf(state, next),
      next.filter((_, index) => outcomes[index]),
    )
  })

  check('of replacements and consumptions at once, exactly one wins', async (state) => {
    await put(state, anEntry())
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => [
        replace(state, anEntry(), { next: anEntry({ id: idOf(100 + index) }) }),
        consume(state, anEntry()),
      ]).flat(),
    )
    assert.equal(outcomes.filter(Boolean).length, 1)
  })

  check('a replacement that is not run does nothing', async (state) => {
    await put(state, anEntry())
    state.replace('refresh_token', anEntry().id, {
      atSeconds: NOW,
      keptUntilSeconds: NOW,
      unconsumedAtMost: 9,
      next: anEntry({ id: NEXT }),
    })
    await new Promise(setImmediate)
    assert.deepEqual(await find(state, anEntry()), found(anEntry()))
    assert.deepEqual(await find(state, anEntry({ id: NEXT })), none)
  })
}

/** What a replacement says, and when an entry then expires that would have expired at `NOW + 60`. */
const EXPIRIES: ReadonlyArray<readonly [what: string, keptUntilSeconds: number, expiresAtSeconds: number]> = [
  ['that of the replacement', NOW + 7, NOW + 7],
  ['its own', NOW + 3_600, NOW + 60],
]
