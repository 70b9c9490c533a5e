import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { eventually } from '../support/eventually.ts'
import type { Answer } from '../support/http-client.ts'
import { gate } from '../support/waiting.ts'
import { connected, lines as head } from './transport-talk.ts'
import { type Place, startWaiting, type WaitingRequest, type WaitingService } from './waiting-service.ts'

const NOTHING_CHANGED = 'The store is not available now.'
const UNKNOWN =
  'The store failed during a write, and the outcome is unknown. The change was made completely or not at all. Check before you repeat the request.'

const saidIn = ({ status, body }: Answer) => [status, body.message, body.outcome]

describe('a request that something keeps waiting until its deadline', () => {
  let running: WaitingService
  beforeEach(async () => {
    running = await startWaiting()
  })
  afterEach(() => running.stop())

  const isRecorded = () =>
    eventually('its work gets to the recorder', async () => running.recorded.length > 0 || undefined)

  const WITHOUT_COMMIT: ReadonlyArray<readonly [WaitingRequest, Place]> = [
    ['application token', 'read'],
    ['sign-in', 'read'],
    ['recovery', 'read'],
    ['OAuth token', 'read'],
    ['sign-in', 'count'],
    ['change', 'count'],
    ['sign-in', 'hash'],
    ['registration', 'hash'],
    ['change', 'hash'],
    ['recovery', 'hash'],
  ]
  for (const [request, place] of WITHOUT_COMMIT) {
    it(`${request}, at a ${place}: 503, and nothing is committed later`, async () => {
      const { answer, stop } = await running.late(request, place)
      expect(saidIn(answer)).to.deep.equal([503, NOTHING_CHANGED, 'none'])
      expect(answer.headers['retry-after']).to.equal('5')
      stop.open()
      await isRecorded()
      expect(running.recorded.map(isLeft)).to.deep.equal([true])
      expect(await running.events()).to.deep.equal([])
      expect(running.lines()).to.have.lengthOf(1)
      expect(running.lines()[0]).to.include({
        level: 40,
        status: 503,
        cause: 'no answer before the deadline; no commit had begun',
      })
    })
  }

  const WITH_COMMIT: ReadonlyArray<WaitingRequest> = [
    'application token',
    'sign-in',
    'registration',
    'change',
    'recovery',
    'OAuth token',
  ]
  for (const request of WITH_COMMIT) {
    for (const place of ['commit', 'answer to the commit'] as const) {
      it(`${request}, at the ${place}: 503 with an unknown outcome, and the commit goes on`, async () => {
        const { answer, stop } = await running.late(request, place)
        expect(saidIn(answer)).to.deep.equal([503, UNKNOWN, 'unknown'])
        expect(answer.headers['retry-after']).to.equal('5')
        stop.open()
        await isRecorded()
        expect(await running.events()).to.have.lengthOf(1)
        expect(running.lines()).to.have.lengthOf(1)
        expect(running.lines()[0]).to.include({
          level: 40,
          status: 503,
          cause: 'no answer before the deadline; a commit had begun',
        })
      })
    }
  }

  it('recovery, at a count after its commit: 503 with an unknown outcome', async () => {
    const committed = gate()
    running.held['answer to the commit'] = committed
    const asked = running.send('recovery')
    await committed.reached
    const count = gate()
    running.held.count = count
    committed.open()
    await count.reached
    running.timers.pass()
    expect(saidIn(await asked)).to.deep.equal([503, UNKNOWN, 'unknown'])
    expect(await running.events()).to.have.lengthOf(1)
  })

  it('answers OAuth clients in their form', async () => {
    const { answer } = await running.late('OAuth token', 'commit')
    expect(answer.body).to.deep.equal({
      success: false,
      code: 503,
      message: UNKNOWN,
      outcome: 'unknown',
      error: 'temporarily_unavailable',
      error_description: UNKNOWN,
    })
  })

  for (const request of ['sign-in', 'registration', 'change'] as const) {
    it(`${request}, at its authentication: 503, and its body is not read later`, async () => {
      const { answer, stop } = await running.late(request, 'authentication')
      expect(saidIn(answer)).to.deep.equal([503, NOTHING_CHANGED, 'none'])
      stop.open()
      expect((await running.send('profile')).status).to.equal(200)
      expect(running.recorded).to.deep.equal([])
    })
  }

  it('answers a request that only reads', async () => {
    const { answer, stop } = await running.late('profile', 'authentication')
    expect(saidIn(answer)).to.deep.equal([503, NOTHING_CHANGED, 'none'])
    stop.open()
    expect((await running.send('profile')).status).to.equal(200)
    expect(running.lines().map(({ status }) => status)).to.deep.equal([503, 200])
  })

  it('leaves no timer behind a request that was answered earlier', async () => {
    for (const request of ['profile', 'sign-in'] as const)
      expect((await running.send(request)).status).to.equal(200)
    expect(running.timers.running()).to.deep.equal([])
  })

  it('has no deadline while its body arrives', async () => {
    const { method, path, body } = running.requests['application token']
    const json = Buffer.from(JSON.stringify(body))
    const { socket, received, closed } = await connected(running.desk.port)
    const read = gate()
    running.held.read = read
    socket.write(
      head(
        `${method} ${path} HTTP/1.1`,
        'Host: a',
        'Connection: close',
        'Content-Type: application/json',
        'Expect: 100-continue',
        `Content-Length: ${json.length}`,
      ),
    )
    await eventually(
      'the server reads the body',
      async () => received().includes('100 Continue') || undefined,
    )
    socket.write(json.subarray(0, 9))
    running.timers.pass()
    socket.write(json.subarray(9))
    await read.reached
    expect(running.timers.running(), 'from its arrival').to.have.lengthOf(1)
    read.open()
    await closed
    expect(received()).to.match(/HTTP\/1\.1 200 OK/)
  })
})
