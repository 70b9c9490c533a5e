import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { ok } from '../outcome.ts'
import type { SharedCheck } from '../protocol-state.ts'
import { anEntry, consume, find, found, idOf, leftOf, NEXT, NOW, put, replace } from './steps.ts'

/** What is done through one handle is done for every other one. */
export const sharedCases = (check: SharedCheck): void => {
  check('what one handle puts, the others find at once, even after they looked', async (one, other) => {
    assert.deepEqual(await find(other, anEntry()), none)
    for (const content of ['first', 'second']) {
      await put(one, anEntry({ content }))
      assert.deepEqual(await find(other, anEntry()), found(anEntry({ content })))
    }
  })

  check('what one handle consumes, the others find consumed', async (one, other) => {
    await put(one, anEntry())
    assert.deepEqual(await find(other, anEntry()), found(anEntry()))
    await consume(one, anEntry())
    assert.equal(await consume(other, anEntry()), false)
    await put(other, anEntry())
    assert.deepEqual(await find(other, anEntry()), found(anEntry(), some(NOW)))
  })

  check('what one handle replaces, the others find replaced', async (one, other, third) => {
    await put(one, anEntry())
    assert.deepEqual(await find(other, anEntry()), found(anEntry()))
    await replace(one, anEntry())
    assert.equal(await replace(other, anEntry(), { next: anEntry({ id: idOf(3) }) }), false)
    assert.deepEqual(await find(third, anEntry({ id: NEXT })), found(anEntry({ id: NEXT })))
    assert.deepEqual(await find(third, anEntry({ id: idOf(3) })), none)
  })

  check('what one handle removes, the others do not find', async (one, other, third) => {
    await put(one, anEntry())
    assert.deepEqual(await find(other, anEntry()), found(anEntry()))
    await ok(third.removeOfSession('session'))
    assert.deepEqual(await find(other, anEntry()), none)
  })

  check(
    'of 60 calls at once through several handles, exactly one consumes each entry',
    async (...handles) => {
      const entries = Array.from({ length: 5 }, (_, index) => anEntry({ id: idOf(index) }))
      await put(handles[0], ...entries)
      for (const entry of entries) {
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, () => handles.map((state) => consume(state, entry))).flat(),
        )
        assert.equal(outcomes.filter(Boolean).length, 1)
      }
    },
  )

  check(
    'of 60 replacements at once through several handles, exactly one wins, and only its next entry is there',
    async (...handles) => {
      const entries = Array.from({ length: 5 }, (_, index) => anEntry({ id: idOf(index) }))
      await put(handles[0], ...entries)
      for (const [of, entry] of entries.entries()) {
        const next = Array.from({ length: 60 }, (_, index) => anEntry({ id: idOf(100 * (of + 1) + index) }))
        const outcomes = await Promise.all(
          next.map((one, index) => replace(handles[index % 3] ?? handles[0], entry, { next: one })),
        )
        assert.equal(outcomes.filter(Boolean).length, 1)
        assert.deepEqual(
          await leftOf(handles[0], next),
          next.filter((_, index) => outcomes[index]),
        )
      }
    },
  )

  check(
    '60 replacements at once leave few entries of their session, and the next one none too many',
    async (...handles) => {
      const codes = Array.from({ length: 60 }, (_, index) => anEntry({ kind: 'code', id: idOf(index) }))
      const next = codes.map(({ id }) => anEntry({ id }))
      await put(handles[0], ...codes)
      const [last, ...others] = codes.map(
        (code, index) => () =>
          replace(handles[index % 3] ?? handles[0], code, {
            next: anEntry({ id: code.id }),
            unconsumedAtMost: 5,
          }),
      )
      assert.ok((await Promise.all(others.map((one) => one()))).every(Boolean))
      assert.equal(await last?.(), true)
      assert.equal((await leftOf(handles[0], next)).length, 5)
    },
  )

  check('removals and consumptions at once through several handles all succeed', async (...handles) => {
    const entries = Array.from({ length: 60 }, (_, index) =>
      anEntry({ id: idOf(index), expiresAtSeconds: index % 2 === 0 ? 1 : NOW }),
    )
    await put(handles[0], ...entries)
    await Promise.all(
      handles.flatMap((state) => [
        ...entries.map((entry) => consume(state, entry)),
        ok(state.removeOfSession('session')),
        ok(state.deleteExpired(NOW, 40)),
      ]),
    )
    assert.deepEqual(await leftOf(handles[0], entries), [])
  })

  check('closing one handle drops none of its writes, and leaves the others open', async (one, other) => {
    const entries = Array.from({ length: 20 }, (_, index) => anEntry({ id: idOf(index) }))
    const waiting = entries.map((entry) => one.put(entry)())
    await one.close()
    assert.ok((await Promise.all(waiting)).every(isRight))
    assert.deepEqual(await leftOf(other, entries), entries)
  })
}
