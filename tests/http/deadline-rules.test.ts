import { expect } from 'chai'
import { type Deadline, deadline } from '../../adapters/http/request/deadline.ts'
import type { StoreUnavailable } from '../../application/ports/failures.ts'
import { type ManualTimers, manualTimers } from '../support/manual-timers.ts'

const NOTHING_CHANGED = {
  _tag: 'StoreUnavailable',
  reason: 'no answer before the deadline; no commit had begun',
}
const UNKNOWN = {
  _tag: 'StoreUnavailable',
  reason: 'no answer before the deadline; a commit had begun',
  outcome: 'unknown',
}
const never = () => new Promise<never>(() => undefined)
const failure = (late: StoreUnavailable): unknown => late

describe('the deadline of a request', () => {
  let timers: ManualTimers
  let limit: Deadline['limit']
  let whileArriving: Deadline['whileArriving']
  let beginCommit: Deadline['beginCommit']
  let onLate: Deadline['onLate']
  beforeEach(() => {
    timers = manualTimers()
    ;({ limit, whileArriving, beginCommit, onLate } = deadline(timers.startTimer))
  })

  it('is 10 s after its arrival, and later by the time that it asks to wait', () => {
    limit(never, failure)()
    expect(timers.running()).to.deep.equal([10_000])
    deadline(timers.startTimer).limit(never, failure, 30_000)()
    expect(timers.running()).to.deep.equal([10_000, 40_000])
  })

  it('returns the answer that comes earlier, and ends the timer', async () => {
    expect(await limit(async () => 'answer', failure)()).to.equal('answer')
    expect(timers.running()).to.deep.equal([])
    expect(beginCommit(), 'work behind the answer').to.equal(true)
  })

  it('passes on an error that comes earlier, and ends the timer', async () => {
    const broken = new Error('broken')
    const failing = limit(async () => {
      throw broken
    }, failure)
    expect(await failing().catch((error: unknown) => error)).to.equal(broken)
    expect(timers.running()).to.deep.equal([])
  })

  it('says that nothing changed if no commit has begun, and then permits none', async () => {
    const answer = limit(never, failure)()
    timers.pass()
    expect(beginCommit()).to.equal(false)
    expect(await answer).to.deep.equal(NOTHING_CHANGED)
  })

  it('says that the outcome is unknown if a commit has begun, and then permits no other', async () => {
    const answer = limit(never, failure)()
    expect(beginCommit()).to.equal(true)
    timers.pass()
    expect(beginCommit()).to.equal(false)
    expect(await answer).to.deep.equal(UNKNOWN)
  })

  for (const [what, end] of [
    ['answer', async () => 'late'],
    ['error', () => Promise.reject(new Error('late'))],
  ] as const) {
    it(`ignores an ${what} that comes later`, async () => {
      let come = (): void => undefined
      const coming = new Promise<void>((resolve) => {
        come = resolve
      })
      const answer = limit(() => coming.then(end), failure)()
      timers.pass()
      come()
      expect(await answer).to.deep.equal(NOTHING_CHANGED)
    })
  }

  it('calls what should end with it', () => {
    let isAborted = false
    onLate(() => {
      isAborted = true
    })
    limit(never, failure)()
    expect(isAborted).to.equal(false)
    timers.pass()
    expect(isAborted).to.equal(true)
  })

  it('stands still while the body arrives', async () => {
    let arrive = (): void => undefined
    const arriving = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const answer = limit(async () => {
      await whileArriving({ complete: false }, () => arriving)()
      return never()
    }, failure)()
    expect(timers.running()).to.deep.equal([])
    arrive()
    await arriving
    await undefined
    expect(timers.running()).to.have.lengthOf(1)
    expect(timers.running()[0]).to.be.greaterThan(0).and.at.most(10_000)
    timers.pass()
    expect(await answer).to.deep.equal(NOTHING_CHANGED)
  })

  it('goes on while the server reads a body that has arrived', () => {
    limit(whileArriving({ complete: true }, never), failure)()
    expect(timers.running()).to.deep.equal([10_000])
  })

  it('ends no second time if the body arrives later', async () => {
    let arrive = (): void => undefined
    const arriving = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const answer = limit(never, failure)()
    timers.pass()
    const read = whileArriving({ complete: false }, () => arriving)()
    arrive()
    await read
    expect(timers.running()).to.deep.equal([])
    expect(await answer).to.deep.equal(NOTHING_CHANGED)
  })
})
