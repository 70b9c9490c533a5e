import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { HAS_MANY_ADDRESSES, newAddress } from '../support/callers.ts'
import type { Answer } from '../support/http-client.ts'
import { INTROSPECT } from '../support/introspection.ts'
import { basic, GRANT, oauthRefusal, REVOKE, sendForm, TOKEN } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { startThrottled, statusesOf, type ThrottledService } from '../support/throttled-service.ts'

const THROTTLED = oauthRefusal(
  429,
  'temporarily_unavailable',
  'Too many failures. Try again after the number of seconds in Retry-After.',
)

const PATHS: ReadonlyArray<readonly [path: string, form: Record<string, string>, good: number]> = [
  [TOKEN, GRANT, 200],
  [REVOKE, { token: 'x' }, 200],
  [INTROSPECT, { token: 'x' }, 403],
]

onMemory('clients with wrong keys', (stores) => {
  let running: ThrottledService
  before(async function () {
    if (!HAS_MANY_ADDRESSES) this.skip()
    running = await startThrottled(await stores.fresh())
  })
  after(() => running?.stop())

  const wrong = () => ({ ...running.keys, public_api_key: `pk_${randomUUID()}` })
  const ask = (address: string, path: string, form: object, headers = {}): Promise<Answer> =>
    sendForm({ send: running.sendFrom(address) }, path, { ...form }, headers)

  for (const [path, form, good] of PATHS) {
    it(`at ${path} get 429 with Retry-After the fourth time`, async () => {
      const address = newAddress()
      const fail = () => ask(address, path, form, basic(wrong()))
      expect(await statusesOf(3, fail)).to.deep.equal([401, 401, 401])
      const answer = await fail()
      expect([answer.status, answer.headers['retry-after']]).to.deep.equal([429, '30'])
      expect(answer.body).to.deep.equal(THROTTLED)
      expect((await ask(address, path, form, basic(running.keys))).status, 'valid keys').to.equal(good)
    })
  }

  it('count together on all OAuth routes and the API’s route', async () => {
    const address = newAddress()
    const atApi = () =>
      running.sendFrom(address)({ method: 'POST', path: '/api/v1/auth/application/token', body: wrong() })
    expect((await ask(address, TOKEN, GRANT, basic(wrong()))).status).to.equal(401)
    expect((await ask(address, INTROSPECT, { token: 'x' }, basic(wrong()))).status).to.equal(401)
    expect((await atApi()).status).to.equal(401)
    expect((await atApi()).status).to.equal(429)
    expect((await ask(address, TOKEN, GRANT, basic(wrong()))).status).to.equal(429)
  })
})
