import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import { PROTOCOL_KINDS } from '../../../application/ports/protocol-state.ts'
import { ok } from '../outcome.ts'
import type { Check } from '../protocol-state.ts'
import { anEntry, consume, find, found, NOW, ofEachKind, put } from './steps.ts'

/** An entry is consumed once. */
export const consumingCases = (check: Check): void => {
  for (const kind of PROTOCOL_KINDS)
    check(`an entry is consumed once, and then found with this second: ${kind}`, async (state) => {
      const entry = anEntry({ kind })
      await put(state, entry)
      assert.equal(await consume(state, entry, NOW + 1), true)
      assert.equal(await consume(state, entry, NOW + 2), false)
      assert.deepEqual(await find(state, entry), found(entry, some(NOW + 1)))
    })

  check('consuming an absent entry is false and adds none', async (state) => {
    assert.equal(await consume(state, anEntry()), false)
    assert.deepEqual(await find(state, anEntry()), none)
    await put(state, anEntry())
    assert.equal(await consume(state, anEntry()), true)
  })

  check('an expired entry can be consumed', async (state) => {
    await put(state, anEntry({ expiresAtSeconds: NOW - 1 }))
    assert.equal(await consume(state, anEntry(), NOW), true)
  })

  check('consuming an entry leaves those of other kinds and ids', async (state) => {
    const others = [...ofEachKind().filter(({ kind }) => kind !== 'code'), anEntry({ kind: 'code', id: 'b' })]
    await put(state, anEntry({ kind: 'code' }), ...others)
    await consume(state, anEntry({ kind: 'code' }))
    for (const entry of others) assert.deepEqual(await find(state, entry), found(entry))
  })

  check('a removed entry that is put again can be consumed again', async (state) => {
    await put(state, anEntry())
    await consume(state, anEntry())
    await ok(state.remove('refresh_token', anEntry().id))
    await put(state, anEntry())
    assert.equal(await consume(state, anEntry()), true)
  })

  check('of 20 calls at once, exactly one consumes the entry', async (state) => {
    await put(state, anEntry())
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => consume(state, anEntry(), NOW + index)),
    )
    assert.equal(outcomes.filter(Boolean).length, 1)
    assert.deepEqual(await find(state, anEntry()), found(anEntry(), some(NOW + outcomes.indexOf(true))))
  })

  check('entries that are put and consumed at once stay consumed', async (state) => {
    await put(state, anEntry())
    const later = anEntry({ content: 'later' })
    const puts = Array.from({ length: 5 }, () => put(state, later))
    const consumed = await consume(state, anEntry(), NOW)
    await Promise.all(puts)
    assert.equal(consumed, true)
    assert.deepEqual(await find(state, anEntry()), found(later, some(NOW)))
  })

  check('a consumption that is not run does nothing', async (state) => {
    await put(state, anEntry())
    state.consume('refresh_token', anEntry().id, NOW)
    await new Promise(setImmediate)
    assert.equal(await consume(state, anEntry()), true)
  })
}
