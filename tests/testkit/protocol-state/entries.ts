import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import { type NewProtocolEntry, PROTOCOL_KINDS } from '../../../application/ports/protocol-state.ts'
import { ok } from '../outcome.ts'
import type { Check } from '../protocol-state.ts'
import { anEntry, consume, find, found, NOW, ofEachKind, put } from './steps.ts'

/** One entry after the other is written and found. */
export const entryCases = (check: Check): void => {
  for (const kind of PROTOCOL_KINDS)
    check(`an unknown entry is none, although others are there: ${kind}`, async (state) => {
      await put(state, ...ofEachKind().filter((entry) => entry.kind !== kind))
      assert.deepEqual(await find(state, anEntry({ kind })), none)
    })

  for (const [what, fields] of ENTRIES)
    check(`an entry is found as it was put: ${what}`, async (state) => {
      const entry = anEntry(fields)
      await put(state, entry)
      assert.deepEqual(await find(state, entry), found(entry))
    })

  check('entries of several kinds with one id are kept apart', async (state) => {
    const entries = ofEachKind()
    await put(state, ...entries)
    for (const entry of entries) assert.deepEqual(await find(state, entry), found(entry))
  })

  for (const [what, one, other] of IDS)
    check(`ids that differ are kept apart: ${what}`, async (state) => {
      const entries = [anEntry({ id: one, content: 'one' }), anEntry({ id: other, content: 'other' })]
      await put(state, ...entries)
      for (const entry of entries) assert.deepEqual(await find(state, entry), found(entry))
    })

  check('a second put replaces the content and the expiry', async (state) => {
    const later = anEntry({ content: 'later', expiresAtSeconds: NOW + 900 })
    await put(state, anEntry(), later)
    assert.deepEqual(await find(state, later), found(later))
    const earlier = anEntry({ content: '', expiresAtSeconds: NOW + 1 })
    await put(state, earlier)
    assert.deepEqual(await find(state, earlier), found(earlier))
  })

  check('a second put keeps the session', async (state) => {
    const entry = anEntry()
    await put(state, entry, anEntry({ sessionId: some('another') }))
    assert.deepEqual(await find(state, entry), found(entry))
  })

  check('a second put leaves a consumed entry consumed', async (state) => {
    const entry = anEntry()
    await put(state, entry)
    await consume(state, entry, NOW + 7)
    const later = anEntry({ content: 'later' })
    await put(state, later)
    assert.deepEqual(await find(state, later), found(later, some(NOW + 7)))
    assert.equal(await consume(state, entry), false)
  })

  check('an expired entry is found until it is deleted', async (state) => {
    const expired = anEntry({ expiresAtSeconds: 1 })
    await put(state, expired, ...ofEachKind({ id: 'another' }))
    assert.deepEqual(await find(state, expired), found(expired))
  })

  check('a put that is not run does nothing', async (state) => {
    state.put(anEntry())
    await new Promise(setImmediate)
    assert.deepEqual(await find(state, anEntry()), none)
  })

  check('100 entries that are put at once are all found', async (state) => {
    const entries = Array.from({ length: 100 }, (_, index) =>
      anEntry({ id: `entry ${index}`, content: `content ${index}` }),
    )
    await Promise.all(entries.map((entry) => ok(state.put(entry))))
    for (const entry of entries) assert.deepEqual(await find(state, entry), found(entry))
  })
}

const ENTRIES: ReadonlyArray<readonly [string, Partial<NewProtocolEntry>]> = [
  ...PROTOCOL_KINDS.map((kind) => [kind, { kind }] as const),
  ['a long content', { content: 'a content of 26 characters'.repeat(4_000) }],
  ['an empty content', { content: '' }],
  ['a late expiry', { expiresAtSeconds: 8.64e12 }],
]

export const IDS: ReadonlyArray<readonly [what: string, one: string, other: string]> = [
  ['digests', `${'0'.repeat(63)}1`, `${'0'.repeat(63)}2`],
  ['case', 'a', 'A'],
  ['numbers', '1', '01'],
  ['names of objects', '__proto__', 'constructor'],
]
