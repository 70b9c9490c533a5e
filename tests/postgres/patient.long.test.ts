import { expect } from 'chai'
import { patience } from '../../adapters/stores/postgres/patience.ts'
import { gate } from '../support/waiting.ts'

const AWAY = new Error('away')
const OTHER = new Error('another error')

/** Longer than a test takes. */
const LONG_MS = 60_000
const NONE_MS = 0

/** A server that is away for the first questions. */
const away = (times: number) => {
  let left = times
  const asked = { work: 0, probes: 0 }
  const ask = (kind: keyof typeof asked) => async () => {
    asked[kind] += 1
    left -= 1
    if (left >= 0) throw AWAY
    return 'an answer'
  }
  return { asked, work: ask('work'), probe: ask('probes') }
}

const through = (server: Readonly<{ probe: () => Promise<unknown> }>, patienceMs: number) =>
  patience({ isAway: (error) => error === AWAY, probe: server.probe, patienceMs }).through

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'it succeeded',
    (error) => error,
  )

describe('patience with a server', () => {
  it('does not repeat what succeeds', async () => {
    const server = away(0)
    expect(await through(server, LONG_MS)(server.work)).to.equal('an answer')
    expect(server.asked).to.deep.equal({ work: 1, probes: 0 })
  })

  it('reports an error that is not about the server at once', async () => {
    const server = away(0)
    const failing = async () => {
      throw OTHER
    }
    expect(await errorOf(through(server, LONG_MS)(failing))).to.equal(OTHER)
    expect(server.asked.probes).to.equal(0)
  })

  it('repeats work when the server is back, and asks with one probe until then', async () => {
    const server = away(3)
    expect(await through(server, LONG_MS)(server.work)).to.equal('an answer')
    expect(server.asked).to.deep.equal({ work: 2, probes: 3 })
  })

  it('shares the probe among all work that waits', async () => {
    const server = away(7)
    const run = through(server, LONG_MS)
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => run(server.work)))
    expect(answers).to.deep.equal(Array.from({ length: 5 }, () => 'an answer'))
    expect(server.asked).to.deep.equal({ work: 10, probes: 3 })
  })

  it('gives work that begins late in an outage all of its time', async () => {
    const first = away(Number.POSITIVE_INFINITY)
    let server = first
    const run = patience({
      isAway: (error) => error === AWAY,
      probe: () => server.probe(),
      patienceMs: 1_000,
    }).through
    const early = errorOf(run(() => server.work()))
    while (first.asked.probes < 4) await new Promise(setImmediate)
    const late = run(() => server.work())
    expect(await early).to.equal(AWAY)
    server = away(0)
    expect(await late).to.equal('an answer')
  })

  it('gives work all of its time that begins when other work has given up, as a batch after a batch', async () => {
    const first = away(Number.POSITIVE_INFINITY)
    let server = first
    const run = patience({
      isAway: (error) => error === AWAY,
      probe: () => server.probe(),
      patienceMs: 200,
    }).through
    expect(await errorOf(run(() => server.work()))).to.equal(AWAY)
    const { probes } = first.asked
    const next = run(() => server.work())
    while (first.asked.probes === probes) await new Promise(setImmediate)
    server = away(0)
    expect(await next).to.equal('an answer')
  })

  it('reports the last error when the time is over, and no longer waits after twice this time', async () => {
    const server = away(Number.POSITIVE_INFINITY)
    const run = through(server, 60)
    const probesOfOne = async () => {
      const { probes } = server.asked
      expect(await errorOf(run(server.work))).to.equal(AWAY)
      return server.asked.probes - probes
    }
    expect(await probesOfOne()).to.be.above(0)
    while ((await probesOfOne()) > 0);
    expect(server.asked.work).to.be.above(2)
  })

  it('asks again beside a probe that hangs', async () => {
    let probes = 0
    const server = {
      probe: async () => {
        probes += 1
        if (probes === 1) await new Promise<never>(() => {})
      },
    }
    expect(await through(server, LONG_MS)(away(1).work)).to.equal('an answer')
    expect(probes).to.equal(2)
  })

  it('continues when a probe that hangs answers in the end', async () => {
    const { reached, pass, open } = gate(4)
    const answer = through({ probe: pass }, LONG_MS)(away(1).work)
    await reached
    open()
    expect(await answer).to.equal('an answer')
  })

  it('lets a few probes hang at most', async () => {
    let probes = 0
    const probe = () => {
      probes += 1
      return new Promise<never>(() => {})
    }
    await errorOf(through({ probe }, 3_000)(away(Number.POSITIVE_INFINITY).work))
    expect(probes).to.equal(4)
  })

  it('waits no longer than its time for a probe that hangs', async () => {
    const server = { probe: () => new Promise<never>(() => {}) }
    const { work } = away(Number.POSITIVE_INFINITY)
    expect(await errorOf(through(server, 60)(work))).to.equal(AWAY)
  })

  it('repeats nothing without time', async () => {
    const server = away(1)
    expect(await errorOf(through(server, NONE_MS)(server.work))).to.equal(AWAY)
    expect(server.asked).to.deep.equal({ work: 1, probes: 0 })
  })

  it('is patient again with the next outage', async () => {
    const first = away(Number.POSITIVE_INFINITY)
    let server = first
    const run = patience({
      isAway: (error) => error === AWAY,
      probe: () => server.probe(),
      patienceMs: 1_000,
    }).through
    const waiting = run(() => server.work())
    while (first.asked.probes === 0) await new Promise(setImmediate)
    server = away(0)
    expect(await waiting).to.equal('an answer')
    server = away(2)
    expect(await run(() => server.work())).to.equal('an answer')
  })
})
