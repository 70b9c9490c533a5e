import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { NewProtocolEntry, ProtocolState } from '../../../application/ports/protocol-state.ts'
import type { Check } from '../protocol-state.ts'
import { anEntry, consume, idOf, leftOf, NOW, put, replace } from './steps.ts'

/** A session that gets one entry after the other keeps the last ones. */
export const surplusCases = (check: Check): void => {
  check(
    'a session keeps the entries that were added last, if they expire in the same second',
    async (state) => {
      // Their ids are in another order than their additions.
      const entries = [7, 3, 9, 1, 5, 8, 2].map((index) => anEntry({ id: idOf(index) }))
      for (const entry of entries) await add(state, entry)
      assert.deepEqual(await leftOf(state, entries), entries.slice(-MOST))
    },
  )

  check('those that expire first go, and the added one stays', async (state) => {
    const [late, later, soon, soonest] = [300, 400, 200, 100].map((seconds) =>
      anEntry({ id: idOf(seconds), expiresAtSeconds: NOW + seconds }),
    ) as [NewProtocolEntry, NewProtocolEntry, NewProtocolEntry, NewProtocolEntry]
    const all = [late, later, soon, soonest]
    await put(state, late, later, soon)
    await add(state, soonest)
    assert.deepEqual(await leftOf(state, all), [late, later, soonest])
  })

  check('a replaced entry does not count', async (state) => {
    const entries = [1, 2, 3].map((index) => anEntry({ id: idOf(index) }))
    const next = anEntry({ id: idOf(4) })
    await put(state, ...entries)
    await replace(state, anEntry({ id: idOf(3) }), { next, unconsumedAtMost: MOST })
    assert.deepEqual(await leftOf(state, [...entries, next]), [...entries, next])
  })

  check('consumed entries do not count, and stay', async (state) => {
    const consumed = [1, 2, 3, 4].map((index) => anEntry({ id: idOf(index), expiresAtSeconds: NOW }))
    const others = [5, 6, 7].map((index) => anEntry({ id: idOf(index) }))
    await put(state, ...consumed)
    for (const entry of consumed) await consume(state, entry)
    for (const entry of others) await add(state, entry)
    assert.deepEqual(await leftOf(state, [...consumed, ...others]), [...consumed, ...others])
  })

  check('entries of other kinds and sessions, and those without a session, stay', async (state) => {
    const others = [1, 2, 3].flatMap((index) => [
      anEntry({ id: idOf(index), kind: 'code', expiresAtSeconds: NOW }),
      anEntry({ id: idOf(index), kind: 'grant', expiresAtSeconds: NOW }),
      anEntry({ id: idOf(index), sessionId: some('another'), expiresAtSeconds: NOW }),
      anEntry({ id: idOf(index), kind: 'pushed_request', sessionId: none, expiresAtSeconds: NOW }),
    ])
    const own = [10, 11, 12, 13].map((index) => anEntry({ id: idOf(index) }))
    await put(state, ...others)
    for (const entry of own) await add(state, entry)
    assert.deepEqual(await leftOf(state, [...others, ...own]), [...others, ...own.slice(1)])
  })

  check('entries without a session have no such limit', async (state) => {
    const entries = [1, 2, 3, 4, 5].map((index) =>
      anEntry({ kind: 'pushed_request', id: idOf(index), sessionId: none }),
    )
    for (const entry of entries) await add(state, entry)
    assert.deepEqual(await leftOf(state, entries), entries)
  })

  check('a replacement that lost drops nothing', async (state) => {
    const entries = [1, 2, 3, 4].map((index) => anEntry({ id: idOf(index) }))
    await put(state, ...entries)
    assert.equal(
      await replace(
        state,
        { kind: 'code', id: 'absent' },
        { next: anEntry({ id: idOf(9) }), unconsumedAtMost: 1 },
      ),
      false,
    )
    assert.deepEqual(await leftOf(state, entries), entries)
  })
}

const MOST = 3

/** Replaces a code of its own by the entry. */
const add = async (state: ProtocolState, next: NewProtocolEntry): Promise<void> => {
  const code = anEntry({ kind: 'code', id: `code of ${next.id}`, sessionId: some('of codes') })
  await put(state, code)
  assert.equal(await replace(state, code, { next, unconsumedAtMost: MOST }), true)
}
