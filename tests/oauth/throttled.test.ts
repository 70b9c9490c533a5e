import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { HAS_MANY_ADDRESSES, newAddress } from '../support/callers.ts'
import { onEveryStore } from '../support/every-store.ts'
import type { Answer } from '../support/http-client.ts'
import { INTROSPECT } from '../support/introspection.ts'
import { basic, GRANT, oauthRefusal, REVOKE, sendForm, TOKEN } from '../support/oauth.ts'
import { startThrottled, statusesOf, type ThrottledService } from '../support/throttled-service.ts'

const TOO_MUCH = oauthRefusal(
  429,
  'temporarily_unavailable',
  'Too many failures. Try again after the number of seconds in Retry-After.',
)

const PATHS: ReadonlyArray<readonly [path: string, form: Record<string, string>, good: number]> = [
  [TOKEN, GRANT, 200],
  [REVOKE, { token: 'x' }, 200],
  [INTROSPECT, { token: 'x' }, 403],
]

onEveryStore('clients whose keys fail', (stores) => {
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
    it(`at ${path} have to wait the fourth time, and are told how long`, async () => {
      const address = newAddress()
      const fail = () => ask(address, path, form, basic(wrong()))
      expect(await statusesOf(3, fail)).to.deep.equal([401, 401, 401])
      const answer = await fail()
      expect([answer.status, answer.headers['retry-after']]).to.deep.equal([429, '30'])
      expect(answer.body).to.deep.equal(TOO_MUCH)
    })

    it(`at ${path} do not keep good ones from the same address from working`, async () => {
      const address = newAddress()
      await statusesOf(4, () => ask(address, path, form, basic(wrong())))
      expect((await ask(address, path, form, basic(running.keys))).status).to.equal(good)
    })

    it(`at ${path} are counted when they cannot be read, and not when there are none`, async () => {
      const [one, other] = [newAddress(), newAddress()]
      const unreadable = () => ask(one, path, form, { authorization: 'Basic ?' })
      expect(await statusesOf(4, unreadable)).to.deep.equal([401, 401, 401, 429])
      expect(await statusesOf(4, () => ask(other, path, form))).to.deep.equal([401, 401, 401, 401])
    })
  }

  it('are counted together, here and at the API’s own route', async () => {
    const address = newAddress()
    const atApi = () =>
      running.sendFrom(address)({ method: 'POST', path: '/api/v1/auth/application/token', body: wrong() })
    expect((await ask(address, TOKEN, GRANT, basic(wrong()))).status).to.equal(401)
    expect((await ask(address, INTROSPECT, { token: 'x' }, basic(wrong()))).status).to.equal(401)
    expect((await atApi()).status).to.equal(401)
    expect((await atApi()).status).to.equal(429)
    expect((await ask(address, TOKEN, GRANT, basic(wrong()))).status).to.equal(429)
  })

  it('do not count where the form was wrong before anybody looked at them', async () => {
    const address = newAddress()
    const ill = () => ask(address, TOKEN, { grant_type: 'password' }, basic(wrong()))
    expect(await statusesOf(5, ill)).to.deep.equal([400, 400, 400, 400, 400])
    expect((await ask(address, TOKEN, GRANT, basic(wrong()))).status).to.equal(401)
  })
})
