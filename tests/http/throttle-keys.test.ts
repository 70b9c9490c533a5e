import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { privateApiKey } from '../../domain/api-key.ts'
import { HAS_MANY_ADDRESSES, newAddress } from '../support/callers.ts'
import type { Answer } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import type { RunningService } from '../support/running-service.ts'
import { startThrottled, statusesOf, type ThrottledService } from '../support/throttled-service.ts'

type Keys = RunningService['keys']

/** A well-formed private key that belongs to no application. */
const UNUSED_KEY = privateApiKey(Uint8Array.from({ length: 32 }, (_, index) => index))

/** The key with another last character, which belongs to its checksum. */
const mistyped = (key: string): string => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`

onMemory('failing API keys', (stores) => {
  let running: ThrottledService
  let looks = 0
  let keys: Readonly<Record<string, Keys>>
  before(async function () {
    if (!HAS_MANY_ADDRESSES) this.skip()
    const looking = await stores.behind((store) => ({
      ...store,
      findApplication: (id) => async () => {
        looks += 1
        return store.findApplication(id)()
      },
    }))
    running = await startThrottled({}, ...looking)
    const { service } = running
    const newPair = async () => {
      const made = await succeed(service.registerApplication(CONTEXT, { name: 'a', scope: 'users:sign_in' }))
      return {
        id: made.application.id,
        pair: { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey },
      }
    }
    const [rotated, revoked] = [await newPair(), await newPair()]
    await succeed(service.rotateApplicationKey(CONTEXT, { id: rotated.id, overlapSeconds: 1 }))
    running.clock.passSeconds(2)
    await succeed(service.revokeApplication(CONTEXT, revoked.id))
    const live = running.keys
    keys = {
      'are live': live,
      'have a malformed public key': { ...live, public_api_key: 'pk_x' },
      'have a malformed private key': { ...live, private_api_key: 'sk_x' },
      'have a private key whose checksum is wrong': {
        ...live,
        private_api_key: mistyped(live.private_api_key),
      },
      'have an unknown public key': { ...live, public_api_key: `pk_${randomUUID()}` },
      'have a wrong private key': { ...live, private_api_key: UNUSED_KEY },
      'were rotated': rotated.pair,
      'are of a revoked application': revoked.pair,
    }
  })
  after(() => running?.stop())

  const issueFrom = (address: string, which: string): Promise<Answer> =>
    running.sendFrom(address)({
      method: 'POST',
      path: '/api/v1/auth/application/token',
      body: keys[which] ?? {},
    })

  const KINDS: ReadonlyArray<readonly [which: string, looks: number]> = [
    ['have a malformed public key', 0],
    ['have a malformed private key', 0],
    ['have a private key whose checksum is wrong', 0],
    ['have an unknown public key', 1],
    ['have a wrong private key', 1],
    ['were rotated', 1],
    ['are of a revoked application', 1],
  ]

  for (const [which, costs] of KINDS) {
    it(`that ${which} count for their address: 401 three times, then 429`, async () => {
      const address = newAddress()
      expect(await statusesOf(4, () => issueFrom(address, which))).to.deep.equal([401, 401, 401, 429])
    })

    it(`that ${which} cost ${costs} look-ups`, async () => {
      const address = newAddress()
      looks = 0
      expect((await issueFrom(address, which)).status).to.equal(401)
      expect(looks).to.equal(costs)
    })
  }

  it('neither block valid keys from the same address nor are reset by them', async () => {
    const address = newAddress()
    const wrong = 'have a wrong private key'
    for (const status of [401, 401, 401, 429, 429]) {
      expect((await issueFrom(address, wrong)).status).to.equal(status)
      expect((await issueFrom(address, 'are live')).status).to.equal(200)
    }
  })

  it('count together, regardless of their error', async () => {
    const address = newAddress()
    const statuses = await Promise.all(KINDS.map(async ([which]) => (await issueFrom(address, which)).status))
    expect(statuses.filter((status) => status === 401)).to.have.length(3)
    expect(statuses.filter((status) => status === 429)).to.have.length(KINDS.length - 3)
  })

  it('do not count for other addresses', async () => {
    const [here, elsewhere] = [newAddress(), newAddress()]
    await statusesOf(4, () => issueFrom(here, 'have a wrong private key'))
    expect((await issueFrom(elsewhere, 'have a wrong private key')).status).to.equal(401)
  })

  it('expire 15 minutes after the first one, unless the limit was reached', async () => {
    const address = newAddress()
    const fail = async () => (await issueFrom(address, 'have a wrong private key')).status
    await fail()
    running.clock.passSeconds(14 * 60)
    await fail()
    running.clock.passSeconds(60)
    expect(await statusesOf(4, () => issueFrom(address, 'have a wrong private key'))).to.deep.equal([
      401, 401, 401, 429,
    ])
  })

  it('double the wait each time, up to 15 minutes', async () => {
    const address = newAddress()
    const issue = () => issueFrom(address, 'have a wrong private key')
    await statusesOf(3, issue)
    for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
      expect((await issue()).headers['retry-after']).to.equal(String(seconds))
      running.clock.passSeconds(seconds - 1)
      expect((await issue()).headers['retry-after']).to.equal('1')
      running.clock.passSeconds(1)
      expect((await issue()).status).to.equal(401)
    }
  })

  it('do not include missing keys, which are always 422', async () => {
    const address = newAddress()
    for (const body of [{}, { public_api_key: 'pk_x' }, { private_api_key: 'sk_x' }]) {
      const ask = () =>
        running.sendFrom(address)({ method: 'POST', path: '/api/v1/auth/application/token', body })
      expect(await statusesOf(4, ask)).to.deep.equal([422, 422, 422, 422])
    }
    expect((await issueFrom(address, 'have a wrong private key')).status).to.equal(401)
  })
})
