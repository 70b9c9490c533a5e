import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { ok, unavailable } from '../outcome.ts'
import type { LastingCheck } from '../protocol-state.ts'
import { anEntry, consume, find, found, idOf, leftOf, NEXT, NOW, ofEachKind, put, replace } from './steps.ts'

/** What was written is there again. */
export const lastingCases = (check: LastingCheck): void => {
  check('entries are there again', async (state, again) => {
    const entries = ofEachKind()
    await put(state, ...entries)
    const reopened = await again()
    for (const entry of entries) assert.deepEqual(await find(reopened, entry), found(entry))
  })

  check('consumed entries are consumed again', async (state, again) => {
    await put(state, anEntry())
    await consume(state, anEntry())
    const reopened = await again()
    assert.deepEqual(await find(reopened, anEntry()), found(anEntry(), some(NOW)))
    assert.equal(await consume(reopened, anEntry()), false)
  })

  check('replaced entries and their next ones are there again', async (state, again) => {
    await put(state, anEntry())
    await replace(state, anEntry())
    const reopened = await again()
    assert.deepEqual(await find(reopened, anEntry()), found(anEntry(), some(NOW)))
    assert.deepEqual(await find(reopened, anEntry({ id: NEXT })), found(anEntry({ id: NEXT })))
  })

  check('a replacement that failed has neither consumed nor added an entry', async (state, again) => {
    await put(state, anEntry())
    await state.close()
    const late = { atSeconds: NOW, keptUntilSeconds: NOW, unconsumedAtMost: 9, next: anEntry({ id: NEXT }) }
    await unavailable(state.replace('refresh_token', anEntry().id, late))
    const reopened = await again()
    assert.deepEqual(await find(reopened, anEntry()), found(anEntry()))
    assert.deepEqual(await find(reopened, anEntry({ id: NEXT })), none)
  })

  check('removed entries are not there again', async (state, again) => {
    const entries = [
      anEntry({ id: 'a' }),
      anEntry({ id: 'b', sessionId: some('b') }),
      anEntry({ id: 'c', sessionId: some('c'), expiresAtSeconds: 1 }),
    ]
    await put(state, ...entries)
    await ok(state.remove('refresh_token', 'a'))
    await ok(state.removeOfSession('b'))
    await ok(state.deleteExpired(NOW, 9))
    assert.deepEqual(await leftOf(await again(), entries), [])
  })

  check('writes that were not awaited before close are there', async (state, again) => {
    const entries = Array.from({ length: 20 }, (_, index) => anEntry({ id: idOf(index) }))
    const writes = entries.map((entry) => state.put(entry)())
    const reopened = await again()
    assert.ok((await Promise.all(writes)).every(isRight))
    assert.deepEqual(await leftOf(reopened, entries), entries)
  })
}
