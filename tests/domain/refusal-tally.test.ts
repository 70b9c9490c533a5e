import { expect } from 'chai'
import * as fc from 'fast-check'
import { highest, mergeTallies, type RefusalTally, tallyOf } from '../../domain/refusal-tally.ts'
import { SEED, withoutIo } from './no-io.ts'

const one = (subjectId: string | undefined, atMilliseconds = 0): RefusalTally =>
  tallyOf({ reason: 'wrong_password', subjectId, atMilliseconds })

const ofAll = (first: RefusalTally, ...more: ReadonlyArray<RefusalTally>): RefusalTally =>
  more.reduce(mergeTallies, first)

describe('a tally of refusals', () => {
  withoutIo()

  it('counts them, by reason and by subject, from the first to the last', () => {
    const other = tallyOf({ reason: 'unknown_email', subjectId: undefined, atMilliseconds: 5 })
    expect(ofAll(one('ada', 20), other, one('ada', 10), one('bob', 15))).to.deep.equal({
      count: 4,
      fromMilliseconds: 5,
      toMilliseconds: 20,
      reasons: new Map([
        ['wrong_password', 3],
        ['unknown_email', 1],
      ]),
      subjects: new Map([
        ['ada', 2],
        ['bob', 1],
      ]),
    })
  })

  it('counts a hundred subjects exactly, and keeps at most that number', () => {
    const names = Array.from({ length: 100 }, (_, index) => `user-${index}`)
    const exact = ofAll(one('user-0'), ...names.map((name) => one(name)))
    expect([exact.subjects.size, exact.subjects.get('user-0'), exact.subjects.get('user-99')]).to.deep.equal([
      100, 2, 1,
    ])
    const more = mergeTallies(exact, one('another'))
    expect([more.subjects.size, more.subjects.get('another'), more.count]).to.deep.equal([100, 2, 102])
  })

  it('never loses a subject with more than a hundredth of all, and never counts it too low', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 600 }), (who) => {
        const tallies = who.map((index) => one(`user-${index % 7 === 0 ? 0 : index}`))
        const [first, ...more] = tallies
        if (first === undefined) return
        const { subjects, count } = ofAll(first, ...more)
        const exact = highest(
          tallies.reduce(
            (all, { subjects: [[id] = ['']] }) => all.set(id, (all.get(id) ?? 0) + 1),
            new Map<string, number>(),
          ),
        )
        for (const [id, times] of exact)
          if (times > count / 100) expect(subjects.get(id) ?? 0, id).to.be.at.least(times)
      }),
      { seed: SEED },
    )
  })

  it('returns the highest counts first, up to the limit', () => {
    const counts = new Map([
      ['few', 1],
      ['most', 9],
      ['many', 5],
    ])
    expect(highest(counts, 2)).to.deep.equal([
      ['most', 9],
      ['many', 5],
    ])
    expect(highest(counts)).to.have.lengthOf(3)
  })
})
