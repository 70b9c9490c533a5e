import { expect } from 'chai'
import { type Entry, type Fate, ledger } from './ledger.ts'

const EFFECT = { type: 'UserSignedIn', subject: 'ada' }

/** A log entry for the first request. */
const entry = (position: number, but: Partial<Entry> = {}): Entry => ({
  position,
  id: `entry-${position}`,
  type: EFFECT.type,
  at: '2026-01-02T03:04:05.678Z',
  subject: { kind: 'user', id: EFFECT.subject },
  actor: { kind: 'nobody' },
  request_id: 'oracle-1-end',
  data: {},
  ...but,
})

const claim = (position: number) => entry(position, { type: 'AccountClaimed' })

describe('the book that checks logs', () => {
  for (const [what, fate, entries, problems] of [
    ['one entry for an acknowledged request', 'acknowledged', [entry(1)], 0],
    ['no entry for an acknowledged request', 'acknowledged', [], 1],
    ['two entries for an acknowledged request', 'acknowledged', [entry(1), entry(2)], 1],
    ['one entry for a refused request', 'refused', [entry(1)], 1],
    ['no entry for a refused request', 'refused', [], 0],
    ['a refusal entry for a refused request', 'refused', [entry(1, { type: 'SignInRefused' })], 0],
    ['one entry for an unanswered request', 'unknown', [entry(1)], 0],
    ['no entry for an unanswered request', 'unknown', [], 0],
    ['two entries for an unanswered request', 'unknown', [entry(1), entry(2)], 1],
    ['an entry of another type', 'acknowledged', [entry(1, { type: 'UserSignedOut' })], 1],
    ['an entry about another user', 'acknowledged', [entry(1, { subject: { kind: 'user', id: 'eve' } })], 1],
    ['an entry without a request', 'acknowledged', [entry(1), entry(2, { request_id: 'oracle-7-end' })], 1],
    ['a gap', 'acknowledged', [entry(2)], 1],
    ['a duplicate id', 'acknowledged', [entry(1), entry(2, { id: 'entry-1', type: 'SignInRefused' })], 1],
  ] satisfies ReadonlyArray<readonly [string, Fate, ReadonlyArray<Entry>, number]>) {
    it(`finds ${problems === 0 ? 'no problem' : 'a problem'} with ${what}`, () => {
      const book = ledger()
      book.hear(book.ask(EFFECT), fate)
      book.read(entries)
      expect(book.problems).to.have.length(problems)
    })
  }

  for (const [what, entries, problems] of [
    ['no entry', [], 0],
    ['one entry', [entry(1)], 0],
    ['two entries', [entry(1), entry(2)], 1],
    ['an entry of another type', [entry(1, { type: 'UserSignedOut' })], 1],
  ] as const) {
    it(`finds ${problems === 0 ? 'no problem' : 'a problem'} with ${what} for an acknowledged request that may write nothing`, () => {
      const book = ledger()
      book.hear(book.ask({ ...EFFECT, isCertain: false }), 'acknowledged')
      book.read(entries)
      expect(book.problems).to.have.length(problems)
      expect(book.acknowledged()).to.equal(0)
    })
  }

  for (const [what, fate, entries, problems] of [
    ['both entries', 'acknowledged', [claim(1), entry(2)], 0],
    ['both entries of an unanswered request', 'unknown', [claim(1), entry(2)], 0],
    ['none of an unanswered request', 'unknown', [], 0],
    ['only the first', 'unknown', [claim(1)], 1],
    ['only the second', 'unknown', [entry(1)], 1],
    ['none', 'acknowledged', [], 1],
    [
      'another entry between them',
      'unknown',
      [claim(1), entry(2, { request_id: 'oracle-7-end' }), entry(3)],
      2,
    ],
    ['the first twice', 'unknown', [claim(1), entry(2), claim(3)], 3],
    ['both, and one is refused', 'refused', [claim(1), entry(2)], 2],
  ] satisfies ReadonlyArray<readonly [string, Fate, ReadonlyArray<Entry>, number]>) {
    it(`finds ${problems} problems with ${what} of a change with two entries`, () => {
      const book = ledger()
      book.hear(book.ask({ ...EFFECT, first: 'AccountClaimed' }), fate)
      book.read(entries)
      expect(book.problems).to.have.length(problems)
    })
  }

  it('reports an entry that appears after its request was settled as absent', () => {
    const book = ledger()
    book.hear(book.ask(EFFECT), 'unknown')
    book.read([])
    book.read([entry(1)])
    expect(book.problems).to.have.length(1)
  })
})
