import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { timeBoundedQueue } from '../../adapters/credentials/hashing/queue.ts'
import type { HashingRequest } from '../../application/ports/password-hasher.ts'
import { fail, succeed } from '../support/outcome.ts'

const REQUEST: HashingRequest = { share: ['tests'] }
const PATIENT = 600_000

/** A job that ends when the test says so. */
const job = () => {
  let begin = () => {}
  let finish = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let ran = false
  const run = async () => {
    ran = true
    begin()
    await finished
    return 'done'
  }
  return { run, begun, finish, hasRun: () => ran }
}

/** Resolves when all pending callbacks have run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('a queue bounded by time', () => {
  it('returns the result of a job', async () => {
    const enqueue = timeBoundedQueue({ concurrency: 1, maxWaitMs: 0 }, 1000)
    expect(await succeed(enqueue(async () => 42, REQUEST))).to.equal(42)
  })

  for (const concurrency of [1, 2, 3]) {
    it(`runs at most ${concurrency} jobs at once, all of them, in order`, async () => {
      const enqueue = timeBoundedQueue({ concurrency, maxWaitMs: PATIENT }, 1)
      const begun: Array<number> = []
      let running = 0
      let most = 0
      const count = async (index: number) => {
        begun.push(index)
        running += 1
        most = Math.max(most, running)
        await settled()
        running -= 1
        return index
      }
      const numbers = Array.from({ length: 20 }, (_, index) => index)
      const results = await Promise.all(numbers.map((index) => enqueue(() => count(index), REQUEST)()))
      expect(results).to.deep.equal(numbers.map((index) => right(index)))
      expect(most).to.equal(concurrency)
      expect(begun).to.deep.equal(numbers)
    })
  }

  it('starts a job at once while there is room, even with no allowed wait', async () => {
    const enqueue = timeBoundedQueue({ concurrency: 2, maxWaitMs: 0 }, 60_000)
    const [one, other] = [job(), job()]
    const results = [enqueue(one.run, REQUEST)(), enqueue(other.run, REQUEST)()]
    await Promise.all([one.begun, other.begun])
    expect(await fail(enqueue(async () => 'third', REQUEST))).to.have.property('_tag', 'Overloaded')
    one.finish()
    other.finish()
    expect(await Promise.all(results)).to.deep.equal([right('done'), right('done')])
  })

  const WAITS: ReadonlyArray<
    readonly [
      name: string,
      concurrency: number,
      jobMs: number,
      maxWaitMs: number,
      taken: number,
      retryAfterSeconds: number,
    ]
  > = [
    // With one at a time, the n-th waiting job waits for n jobs.
    ['one at a time, 600 ms each, 1 s', 1, 600, 1_000, 2, 2],
    ['one at a time, 500 ms each, 1 s', 1, 500, 1_000, 3, 2],
    ['one at a time, 100 ms each, 50 ms', 1, 100, 50, 1, 1],
    ['two at a time, 600 ms each, 1 s', 2, 600, 1_000, 5, 2],
    ['three at a time, 2 s each, none', 3, 2_000, 0, 3, 1],
    ['one at a time, 90 s each, 1 min', 1, 90_000, 60_000, 1, 90],
  ]
  for (const [name, concurrency, jobMs, maxWaitMs, taken, retryAfterSeconds] of WAITS) {
    it(`refuses a job that would wait too long: ${name}`, async () => {
      const enqueue = timeBoundedQueue({ concurrency, maxWaitMs }, jobMs)
      const jobs = Array.from({ length: taken }, job)
      const results = jobs.map(({ run }) => enqueue(run, REQUEST)())
      await settled()
      const late = job()
      expect(await fail(enqueue(late.run, REQUEST))).to.deep.equal({ _tag: 'Overloaded', retryAfterSeconds })
      for (const { finish } of jobs) finish()
      expect(await Promise.all(results)).to.deep.equal(jobs.map(() => right('done')))
      expect(late.hasRun()).to.equal(false)
    })
  }

  it('accepts jobs again when earlier ones are done', async () => {
    const enqueue = timeBoundedQueue({ concurrency: 1, maxWaitMs: 0 }, 60_000)
    const first = job()
    const result = enqueue(first.run, REQUEST)()
    await first.begun
    expect(await fail(enqueue(async () => 'second', REQUEST))).to.have.property('_tag', 'Overloaded')
    first.finish()
    await result
    await settled()
    expect(await succeed(enqueue(async () => 'third', REQUEST))).to.equal('third')
  })

  it('learns the duration of jobs', async () => {
    const enqueue = timeBoundedQueue({ concurrency: 1, maxWaitMs: 10_000 }, 60_000)
    // The first guess is a minute; jobs of no time at all bring it down.
    for (let count = 0; count < 20; count += 1) await succeed(enqueue(async () => count, REQUEST))
    const first = job()
    const results = [enqueue(first.run, REQUEST)(), enqueue(async () => 'second', REQUEST)()]
    await first.begun
    first.finish()
    expect(await Promise.all(results)).to.deep.equal([right('done'), right('second')])
  })

  it('skips a job that is aborted when its turn comes', async () => {
    const enqueue = timeBoundedQueue({ concurrency: 1, maxWaitMs: PATIENT }, 1)
    const [first, aborted, last] = [job(), job(), job()]
    const controller = new AbortController()
    const results = [
      enqueue(first.run, REQUEST)(),
      enqueue(aborted.run, { ...REQUEST, signal: controller.signal })(),
      enqueue(last.run, REQUEST)(),
    ]
    await first.begun
    controller.abort()
    first.finish()
    last.finish()
    expect(await Promise.all(results)).to.deep.equal([
      right('done'),
      left({ _tag: 'Abandoned' }),
      right('done'),
    ])
    expect(aborted.hasRun()).to.equal(false)
  })

  it('runs a job to its end that is aborted after its start', async () => {
    const enqueue = timeBoundedQueue({ concurrency: 1, maxWaitMs: 0 }, 1)
    const only = job()
    const controller = new AbortController()
    const result = enqueue(only.run, { ...REQUEST, signal: controller.signal })()
    await only.begun
    controller.abort()
    only.finish()
    expect(await result).to.deep.equal(right('done'))
  })

  it('reports a failed job as Overloaded, for a rejection and an exception, and continues', async () => {
    const enqueue = timeBoundedQueue({ concurrency: 1, maxWaitMs: PATIENT }, 1)
    const throwing = (): Promise<never> => {
      throw new Error('out of memory')
    }
    const overloaded = { _tag: 'Overloaded', retryAfterSeconds: 1 }
    expect(await fail(enqueue(() => Promise.reject(new Error('out of memory')), REQUEST))).to.deep.equal(
      overloaded,
    )
    expect(await fail(enqueue(throwing, REQUEST))).to.deep.equal(overloaded)
    expect(await succeed(enqueue(async () => 'next', REQUEST))).to.equal('next')
  })
})
