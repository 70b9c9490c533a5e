import { expect } from 'chai'
import { type Entry, type Fate, ledger } from './ledger.ts'
import { agree } from './stage.ts'

const EFFECT = { type: 'UserSignedIn', subject: 'ada' }

/** An entry of the log for the request that was asked first. */
const entry = (position: number, but: Partial<Entry> = {}): Entry => ({
  position,
  id: `entry-${position}`,
  type: EFFECT.type,
  subject: { kind: 'user', id: EFFECT.subject },
  actor: { kind: 'nobody' },
  request_id: 'oracle-1-end',
  data: {},
  ...but,
})

describe('the memory that logs are held against', () => {
  for (const [what, fate, entries, problems] of [
    ['one entry for what was acknowledged', 'acknowledged', [entry(1)], 0],
    ['none for what was acknowledged', 'acknowledged', [], 1],
    ['two for what was acknowledged', 'acknowledged', [entry(1), entry(2)], 1],
    ['one for what was refused', 'refused', [entry(1)], 1],
    ['none for what was refused', 'refused', [], 0],
    ['a refusal for what was refused', 'refused', [entry(1, { type: 'SignInRefused' })], 0],
    ['one for what nobody was told', 'unknown', [entry(1)], 0],
    ['none for what nobody was told', 'unknown', [], 0],
    ['two for what nobody was told', 'unknown', [entry(1), entry(2)], 1],
    ['one of another type', 'acknowledged', [entry(1, { type: 'UserSignedOut' })], 1],
    ['one about somebody else', 'acknowledged', [entry(1, { subject: { kind: 'user', id: 'eve' } })], 1],
    ['one for what nobody asked', 'acknowledged', [entry(1), entry(2, { request_id: 'oracle-7-end' })], 1],
    ['a gap', 'acknowledged', [entry(2)], 1],
    ['an id twice', 'acknowledged', [entry(1), entry(2, { id: 'entry-1', type: 'SignInRefused' })], 1],
  ] satisfies ReadonlyArray<readonly [string, Fate, ReadonlyArray<Entry>, number]>) {
    it(`finds ${problems === 0 ? 'nothing' : 'something'} wrong with ${what}`, () => {
      const book = ledger()
      book.hear(book.ask(EFFECT), fate)
      book.read(entries)
      expect(book.problems).to.have.length(problems)
    })
  }

  it('finds an entry wrong that turns up when it was already taken for one that never came', () => {
    const book = ledger()
    book.hear(book.ask(EFFECT), 'unknown')
    book.read([])
    book.read([entry(1)])
    expect(book.problems).to.have.length(1)
  })
})

describe('the examination of a store', () => {
  const examined = (status: number, ok: boolean, ...checks: ReadonlyArray<object>) =>
    agree({ portcullis: async () => ({ status, out: JSON.stringify({ ok, checks }), err: '' }) }).then(
      () => 'passed',
      () => 'failed',
    )

  for (const [what, outcome, result] of [
    ['all is well', () => examined(0, true, { name: 'log', ok: true }), 'passed'],
    ['the log is not looked at', () => examined(0, true, { name: 'keys', ok: true }), 'failed'],
    ['log and rows differ', () => examined(1, false, { name: 'log', ok: false }), 'failed'],
    [
      'something else is wrong',
      () => examined(1, false, { name: 'log', ok: true }, { name: 'store', ok: false, detail: 'damaged.' }),
      'failed',
    ],
    [
      'the disk is as small as a test has made it',
      () =>
        examined(
          1,
          false,
          { name: 'log', ok: true },
          { name: 'disk', ok: false, detail: '3 MiB are free, …' },
        ),
      'passed',
    ],
  ] as const) {
    it(`is ${result} where ${what}`, async () => {
      expect(await outcome()).to.equal(result)
    })
  }
})
