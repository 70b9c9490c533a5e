import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Answer } from '../support/http-client.ts'
import { basic, GRANT, oauthRefusal, sendForm, TOKEN } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { BEGINNING, statusesOf } from '../support/throttled-service.ts'

const MESSAGE =
  'Too many tokens for this application. Use each token until it expires. Try again after the number of seconds in Retry-After.'

onMemory('application tokens, with a limit of three a minute', (stores) => {
  let now = BEGINNING
  let running: RunningService
  beforeEach(async () => {
    running = await startService(
      { ...(await stores.fresh()), THROTTLE_APPLICATION_TOKENS: '3' },
      provide(Dependency.clock, () => () => now),
    )
  })
  afterEach(() => running.stop())

  type Keys = RunningService['keys']
  const issue = (keys: Keys = running.keys): Promise<Answer> =>
    running.send({ method: 'POST', path: '/api/v1/auth/application/token', body: keys })
  const grant = (keys: Keys = running.keys, form = {}): Promise<Answer> =>
    sendForm(running, TOKEN, { ...GRANT, ...form }, basic(keys))

  it('get 429 with Retry-After beyond the limit, until the minute is over', async () => {
    expect(await statusesOf(3, () => issue())).to.deep.equal([200, 200, 200])
    now += 15_000
    const refused = await issue()
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([429, '45'])
    expect(refused.body).to.deep.equal({ success: false, code: 429, message: MESSAGE })
    now += 45_000
    expect(await statusesOf(4, () => issue())).to.deep.equal([200, 200, 200, 429])
  })

  it('count together at both routes; OAuth clients get its form of error', async () => {
    expect((await issue()).status).to.equal(200)
    expect((await grant()).status).to.equal(200)
    expect((await issue()).status).to.equal(200)
    const refused = await grant()
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([429, '60'])
    expect(refused.body).to.deep.equal(oauthRefusal(429, 'temporarily_unavailable', MESSAGE))
  })
})
