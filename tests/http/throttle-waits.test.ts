import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { startThrottled, type ThrottledService } from '../support/throttled-service.ts'

const PASSWORD = 'correct horse'
const WAITS = [30, 60, 120, 240, 480, 900, 900, 900]
const A_DAY = 24 * 3600

onMemory('failed sign-ins at a limit of three in a row', (stores) => {
  let running: ThrottledService
  beforeEach(async () => {
    running = await startThrottled(await stores.fresh())
  })
  afterEach(() => running.stop())

  const waitOf = async (password = 'wrong'): Promise<string> => {
    const { status, headers } = await running.signIn(password)
    return status === 429 ? String(headers['retry-after']) : `not refused: ${status}`
  }

  it('double the wait each time, up to 15 minutes, and Retry-After is exact to the second', async () => {
    expect(await running.failToSignIn(3)).to.deep.equal([422, 422, 422])
    for (const seconds of WAITS) {
      expect(await waitOf()).to.equal(String(seconds))
      running.clock.passSeconds(seconds - 1)
      expect(await waitOf(), `a second before ${seconds}`).to.equal('1')
      running.clock.passSeconds(1)
      expect(await running.failToSignIn(1)).to.deep.equal([422])
    }
  })

  it('round Retry-After up to the next whole second', async () => {
    await running.failToSignIn(3)
    for (const [passed, told] of [
      [0.001, '30'],
      [0.599, '30'],
      [0.4, '29'],
      [0.001, '29'],
      [28.998, '1'],
    ] as const) {
      running.clock.passSeconds(passed)
      expect(await waitOf()).to.equal(told)
    }
    running.clock.passSeconds(0.001)
    expect(await running.failToSignIn(1)).to.deep.equal([422])
  })

  it('neither count nor extend the wait during a wait', async () => {
    await running.failToSignIn(3)
    running.clock.passSeconds(29)
    expect(new Set(await running.failToSignIn(50))).to.deep.equal(new Set([429]))
    running.clock.passSeconds(1)
    expect(await running.failToSignIn(1)).to.deep.equal([422])
    expect(await waitOf()).to.equal('60')
  })

  it('delay the right password, too, which opens no session', async () => {
    await running.failToSignIn(3)
    const before = await eventsOf(running.service.store, 'UserSignedIn')
    expect(await waitOf(PASSWORD)).to.equal('30')
    running.clock.passSeconds(29)
    expect(await waitOf(PASSWORD)).to.equal('1')
    expect(await eventsOf(running.service.store, 'UserSignedIn')).to.deep.equal(before)
    running.clock.passSeconds(1)
    expect((await running.signIn(PASSWORD)).status).to.equal(200)
  })

  it('are reset by a success, below the limit and after it', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await running.failToSignIn(2)).to.deep.equal([422, 422])
      expect((await running.signIn(PASSWORD)).status).to.equal(200)
    }
    await running.failToSignIn(3)
    running.clock.passSeconds(30)
    await running.failToSignIn(1)
    running.clock.passSeconds(60)
    expect((await running.signIn(PASSWORD)).status).to.equal(200)
    expect(await running.failToSignIn(4)).to.deep.equal([422, 422, 422, 429])
    expect(await waitOf()).to.equal('30')
  })

  it('expire after a day without a failure, and not before', async () => {
    await running.failToSignIn(2)
    running.clock.passSeconds(A_DAY - 1)
    expect(await running.failToSignIn(2)).to.deep.equal([422, 429])
    running.clock.passSeconds(30 + A_DAY)
    expect(await running.failToSignIn(4)).to.deep.equal([422, 422, 422, 429])
  })

  it('count together for all spellings of an e-mail, and separately for another e-mail', async () => {
    expect(await running.failToSignIn(2, 'ada@example.com')).to.deep.equal([422, 422])
    expect(await running.failToSignIn(2, 'ADA@EXAMPLE.COM')).to.deep.equal([422, 429])
    expect(await running.failToSignIn(3, 'ada@example.org')).to.deep.equal([422, 422, 422])
    expect(await running.failToSignIn(1, 'Ada@Example.com')).to.deep.equal([429])
  })
})
