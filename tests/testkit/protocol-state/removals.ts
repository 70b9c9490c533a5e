import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import { ok } from '../outcome.ts'
import type { Check } from '../protocol-state.ts'
import { anEntry, consume, find, idOf, leftOf, NOW, ofEachKind, put, putMany } from './steps.ts'

/** Entries go one by one, with their session, or when they expire. */
export const removalCases = (check: Check): void => {
  check('a removed entry is gone, and those of other kinds and ids stay', async (state) => {
    const entries = [...ofEachKind(), anEntry({ id: 'another' })]
    await put(state, ...entries)
    await ok(state.remove('code', anEntry().id))
    assert.deepEqual(
      await leftOf(state, entries),
      entries.filter(({ kind }) => kind !== 'code'),
    )
  })

  check('an entry is removed also if it is consumed', async (state) => {
    await put(state, anEntry())
    await consume(state, anEntry())
    await ok(state.remove('refresh_token', anEntry().id))
    assert.deepEqual(await find(state, anEntry()), none)
  })

  check('removing an absent entry, or those of an unknown session, does nothing', async (state) => {
    await ok(state.remove('code', 'absent'))
    await ok(state.removeOfSession('absent'))
    await put(state, anEntry())
    await ok(state.remove('refresh_token', 'absent'))
    await ok(state.removeOfSession('absent'))
    assert.deepEqual(await leftOf(state, [anEntry()]), [anEntry()])
  })

  check('the entries of a session go together, of all kinds and also consumed ones', async (state) => {
    const entries = ofEachKind({ sessionId: some('session') })
    await put(state, ...entries)
    await consume(state, anEntry())
    await ok(state.removeOfSession('session'))
    assert.deepEqual(await leftOf(state, entries), [])
  })

  check('the entries of other sessions, and those without a session, stay', async (state) => {
    const others = [
      anEntry({ id: 'other', sessionId: some('other') }),
      anEntry({ id: 'prefix', sessionId: some('session 2') }),
      anEntry({ kind: 'pushed_request', sessionId: none }),
    ]
    await put(state, anEntry(), ...others)
    await ok(state.removeOfSession('session'))
    assert.deepEqual(await leftOf(state, [anEntry(), ...others]), others)
  })

  check('all 2,100 entries of a session go', async (state) => {
    const entries = await putMany(state, 2_100, () => ({}))
    await ok(state.removeOfSession('session'))
    assert.deepEqual(await leftOf(state, entries), [])
  })

  check('what expired before a second is deleted, of all kinds, and nothing else', async (state) => {
    const expired = ofEachKind({ expiresAtSeconds: NOW - 1 })
    const others = ofEachKind({ id: 'just not', expiresAtSeconds: NOW })
    await put(state, ...expired, ...others)
    assert.equal(await ok(state.deleteExpired(NOW, 100)), expired.length)
    assert.deepEqual(await leftOf(state, [...expired, ...others]), others)
    assert.equal(await ok(state.deleteExpired(NOW, 100)), 0)
  })

  check('of consumed entries, those that expired are deleted, and the others stay', async (state) => {
    const entries = [anEntry({ expiresAtSeconds: NOW - 1 }), anEntry({ id: 'another' })]
    await put(state, ...entries)
    for (const entry of entries) await consume(state, entry)
    assert.equal(await ok(state.deleteExpired(NOW, 100)), 1)
    assert.deepEqual(await leftOf(state, entries), [anEntry({ id: 'another' })])
  })

  check('an entry expires when the last put says so', async (state) => {
    await put(state, anEntry({ expiresAtSeconds: 1 }), anEntry())
    assert.equal(await ok(state.deleteExpired(NOW, 100)), 0)
    await put(state, anEntry({ expiresAtSeconds: 1 }))
    assert.equal(await ok(state.deleteExpired(NOW, 100)), 1)
  })

  check('at most so many expired entries are deleted at once, and in the end all', async (state) => {
    await putMany(state, 25, (index) => ({ id: idOf(index), expiresAtSeconds: index }))
    const deleted: Array<number> = []
    for (let each = 0; each < 4; each += 1) deleted.push(await ok(state.deleteExpired(NOW, 10)))
    assert.deepEqual(deleted, [10, 10, 5, 0])
    assert.equal(await ok(state.deleteExpired(NOW, 0)), 0)
  })
}
