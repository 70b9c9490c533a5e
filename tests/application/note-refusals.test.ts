import { expect } from 'chai'
import * as fc from 'fast-check'
import { A_MINUTE, given, START, summaryOf, TYPES } from './noted-refusals.ts'
import { NOW } from './world.ts'

const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString()

describe('a refusal that is noted', () => {
  it('is not written before the response', async () => {
    const { note, log, background } = given()
    note()
    expect(await log()).to.deep.equal([])
    await background.settle()
    expect(await log()).to.have.lengthOf(1)
  })

  it('is no commit of its request, and is written also after the deadline of the request', async () => {
    let begun = 0
    const { note, log, background } = given({
      beginCommit: () => {
        begun += 1
        return false
      },
    })
    note()
    await background.settle()
    expect(await log()).to.have.lengthOf(1)
    expect(begun).to.equal(0)
  })

  it('is in the log with the actor, the reason and the id of the request', async () => {
    const { note, log, background } = given()
    note('SignInRefused', 'ada')
    await background.settle()
    expect(await log()).to.deep.equal([
      {
        position: 1,
        id: '00000000-0000-7000-8000-000000000001',
        type: 'SignInRefused',
        version: 1,
        at: NOW,
        subject: { kind: 'user', id: 'ada' },
        actor: { kind: 'nobody' },
        request_id: 'request-1',
        data: { reason: 'wrong_password' },
      },
    ])
  })

  for (const type of TYPES) {
    it(`of type ${type} is written at most 60 times a minute, for 60 subjects`, async () => {
      const { noteMany, log } = given()
      await noteMany(60, type)
      expect(await log()).to.have.lengthOf(60)
      await noteMany(40, type)
      expect(await log()).to.have.lengthOf(60)
    })
  }

  it('of one type does not use the share of another', async () => {
    const { noteMany, log } = given()
    for (const type of TYPES) await noteMany(61, type)
    const types = (await log()).map(({ type }) => type)
    for (const type of TYPES) expect(types.filter((one) => one === type)).to.have.lengthOf(60)
  })
})

describe('refusals beyond the share of a minute', () => {
  it('become one summary at its end, with their number and times', async () => {
    const { noteMany, background, log, summaries } = given()
    await noteMany(100) // the first of those beyond comes at 6.0 s and the last at 9.9 s
    await background.passSeconds(A_MINUTE)
    expect(await summaries()).to.deep.equal([{ type: 'SignInRefused', count: 40, from: at(6), to: at(9.9) }])
    const last = (await log()).at(-1)
    expect(last).to.deep.include({
      type: 'RefusalsSummarized',
      at: at(A_MINUTE),
      subject: { kind: 'service', id: 'portcullis' },
      actor: { kind: 'nobody' },
    })
    expect(last).to.not.have.property('request_id')
  })

  it('cost neither memory nor work: only the share waits', () => {
    const { note, background } = given()
    for (let count = 0; count < 100_000; count += 1) note()
    expect(background.waiting()).to.equal(60)
  })

  it('are counted while the clock goes back and forth, and the summary starts before it ends', async () => {
    const { clock, note, background, summaries } = given()
    for (let count = 0; count < 60; count += 1) note()
    for (const seconds of [5, -50, 20]) {
      clock.passSeconds(seconds)
      note()
    }
    await background.settle()
    await background.close()
    expect(await summaries()).to.deep.equal([{ type: 'SignInRefused', count: 3, from: at(-45), to: at(5) }])
  })
})

describe('refusals that cannot be written', () => {
  it('because the store refuses them are in the summary', async () => {
    const { store, noteMany, background, log, summaries } = given()
    await noteMany(1)
    store.readOnly = true
    await noteMany(2) // at 0.1 s and 0.2 s
    store.readOnly = false
    await noteMany(1)
    await background.passSeconds(A_MINUTE)
    expect(await summaries()).to.deep.equal([{ type: 'SignInRefused', count: 2, from: at(0.1), to: at(0.2) }])
    expect(await log()).to.have.lengthOf(3)
  })

  it('are written again each minute until the store accepts the summary, even without new ones', async () => {
    const { store, noteMany, background, summaries } = given()
    await noteMany(63)
    store.readOnly = true
    for (let minute = 0; minute < 5; minute += 1) await background.passSeconds(A_MINUTE)
    store.readOnly = false
    await background.passSeconds(A_MINUTE)
    expect(await summaries()).to.deep.equal([{ type: 'SignInRefused', count: 3, from: at(6), to: at(6.2) }])
    await background.passSeconds(5 * A_MINUTE)
    expect(await summaries()).to.have.lengthOf(1)
  })
})

describe('refusals at the end of the service', () => {
  it('are written or summarized before it stops', async () => {
    const { note, background, log, summaries } = given()
    for (let count = 0; count < 75; count += 1) note()
    await background.close()
    expect(await log()).to.have.lengthOf(61)
    expect(await summaries()).to.deep.equal([{ type: 'SignInRefused', count: 15, from: at(0), to: at(0) }])
  })

  it('are dropped if the store is already closed, and nothing throws', async () => {
    const { note, store, background } = given()
    for (let count = 0; count < 75; count += 1) note()
    await store.close()
    await background.close()
    note()
    expect(background.waiting()).to.equal(0)
  })
})

describe('refusals in any order', () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        note: fc.constantFrom(...TYPES),
        about: fc.constantFrom('none', 'ada', 'bob', undefined),
        times: fc.integer({ min: 1, max: 80 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ passSeconds: fc.integer({ min: 1, max: 90 }) }) },
    { weight: 2, arbitrary: fc.record({ storeTakesNone: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ backgroundIsFull: fc.boolean() }) },
  )

  it('each is in the log or in exactly one summary, and the log is bounded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { note, store, background, log } = given()
        const sent: Record<string, number> = {}
        for (const one of steps) {
          if ('note' in one) {
            for (let count = 0; count < one.times; count += 1) note(one.note, one.about)
            sent[one.note] = (sent[one.note] ?? 0) + one.times
          } else if ('passSeconds' in one) await background.passSeconds(one.passSeconds)
          else if ('storeTakesNone' in one) store.readOnly = one.storeTakesNone
          else background.full = one.backgroundIsFull
        }
        store.readOnly = false
        await background.close()

        const entries = await log()
        for (const type of TYPES) {
          const written = entries.filter((entry) => entry.type === type).map((entry) => Date.parse(entry.at))
          const summarized = entries
            .flatMap(summaryOf)
            .filter((summary) => summary.type === type)
            .reduce((sum, { count }) => sum + count, 0)
          expect(written.length + summarized).to.equal(sent[type] ?? 0)
          // Any sixty seconds overlap at most two minutes.
          for (const first of written) {
            const soon = written.filter((moment) => moment >= first && moment < first + A_MINUTE * 1000)
            expect(soon.length).to.be.at.most(120)
          }
        }
        for (const { from, to } of entries.flatMap(summaryOf)) expect(from <= to).to.equal(true)
      }),
      { numRuns: 60 },
    )
  })
})
