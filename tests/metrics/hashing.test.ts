import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { none } from 'fp-ts/lib/Option.js'
import { Registry } from 'prom-client'
import { Dependency, provide } from '../../adapters/index.ts'
import { observedHasher } from '../../adapters/observing/instrumentation/password-hasher.ts'
import { hashingMetrics } from '../../adapters/observing/prometheus/hashing.ts'
import type { HashingRefused, PasswordHasher } from '../../application/ports/password-hasher.ts'
import { eventually } from '../support/eventually.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scrape } from '../support/scrape.ts'
import { type Gate, gate } from '../support/waiting.ts'

/** A custom hasher with the same two steps as ours. Each step waits at a gate if one is set. */
const steps = { queue: undefined as Gate | undefined, work: undefined as Gate | undefined }
let refusal: HashingRefused | undefined
const plain = plainHasher()
const hasher: PasswordHasher = {
  ...plain,
  verify: (password, record, request) => async () => {
    if (refusal?._tag === 'Overloaded') return left(refusal)
    await steps.queue?.pass()
    if (request.signal?.aborted || refusal !== undefined) return left({ _tag: 'Abandoned' })
    request.onStart?.()
    await steps.work?.pass()
    return plain.verify(password, record, request)()
  },
}

describe('the metrics of a hash', () => {
  it('pass its request on: the signal, and the start', async () => {
    const received: Array<unknown> = []
    const starting: PasswordHasher = {
      ...plain,
      verify: (password, record, request) => {
        received.push(request.signal, request.share)
        request.onStart?.()
        return plain.verify(password, record, request)
      },
    }
    const observed = observedHasher(starting, [hashingMetrics(new Registry())])
    const { signal } = new AbortController()
    const share = ['tests'] as const
    const onStart = () => received.push('started')
    await observed.verify('correct horse', none, { signal, onStart, share })()
    expect(received).to.deep.equal([signal, share, 'started'])
  })
})

describe('the metrics of hashing', () => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService(
      {},
      provide(Dependency.passwordHasher, () => hasher),
    )
    token = await running.applicationToken()
  })
  after(() => running.stop())

  const scraping = () => scrape(`http://127.0.0.1:${running.port}`)
  const gauges = async () => {
    const { value } = await scraping()
    return [value('portcullis_hash_queue_length'), value('portcullis_hashes_running')]
  }
  const signIn = () =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token,
      body: { email: running.user.email, password: running.user.password },
    })

  it('show waiting and running hashes of any hasher', async () => {
    expect(await gauges()).to.deep.equal([0, 0])
    const queue = gate(3)
    const work = gate(3)
    Object.assign(steps, { queue, work })
    const signingIn = [signIn(), signIn(), signIn()]
    await queue.reached
    expect(await gauges()).to.deep.equal([3, 0])
    queue.open()
    await work.reached
    expect(await gauges()).to.deep.equal([0, 3])
    work.open()
    const answers = await Promise.all(signingIn)
    Object.assign(steps, { queue: undefined, work: undefined })
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    expect(await gauges()).to.deep.equal([0, 0])
    const { value } = await scraping()
    expect(value('portcullis_hash_wait_seconds_count')).to.equal(3)
    expect(value('portcullis_hash_duration_seconds_count{operation="verify"}')).to.equal(3)
    expect(value('portcullis_hash_duration_seconds_sum{operation="verify"}')).to.be.above(0)
  })

  it('count a hash whose hasher does not call onStart', async () => {
    const series = 'portcullis_hash_duration_seconds_count{operation="hash"}'
    expect((await scraping()).value(series)).to.equal(1) // from the registration of the user
    expect(await gauges()).to.deep.equal([0, 0])
  })

  for (const [reason, refused] of [
    ['overloaded', { _tag: 'Overloaded', retryAfterSeconds: 2 }],
    ['abandoned', { _tag: 'Abandoned' }],
  ] as const) {
    it(`count refused hashes: ${reason}`, async () => {
      refusal = refused
      const series = `portcullis_hashes_refused_total{reason="${reason}"}`
      expect((await scraping()).value(series)).to.equal(0)
      expect((await signIn()).status).to.equal(503)
      refusal = undefined
      expect((await scraping()).value(series)).to.equal(1)
      expect(await gauges()).to.deep.equal([0, 0])
    })
  }

  it('show the built-in scrypt, one hash after the other', async () => {
    const own = await startService({ HASHING_CONCURRENCY: '1' })
    try {
      const ownToken = await own.applicationToken()
      const body = { email: own.user.email, password: own.user.password }
      const path = '/api/v1/auth/user/token'
      await Promise.all([1, 2, 3, 4].map(() => own.send({ method: 'POST', path, token: ownToken, body })))
      const { value } = await scrape(`http://127.0.0.1:${own.port}`)
      expect(value('portcullis_hash_wait_seconds_count')).to.equal(5)
      expect(value('portcullis_hash_duration_seconds_count{operation="verify"}')).to.equal(4)
    } finally {
      await own.stop()
    }
  })

  it('are correct again after a hasher throws', async () => {
    Object.assign(steps, { queue: { pass: () => Promise.reject(new Error('broken')) } })
    expect((await signIn()).status).to.equal(500)
    Object.assign(steps, { queue: undefined })
    await eventually('nothing waits', async () => ((await gauges())[0] === 0 ? true : undefined))
  })
})
