import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { Dependency, provide } from '../../adapters/index.ts'
import type { NewApplication } from '../../application/applications/register-application.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.parse('2026-11-20T12:00:00Z')
const SIGN_IN = '/api/v1/auth/user/token'

/** What each product sets: how long a user may be idle, and how long a session lasts. */
const PRODUCTS = {
  'a web shop': { userTokenTtl: 12 * HOUR, sessionTtl: 30 * DAY },
  'a mobile application': { userTokenTtl: 60 * DAY, sessionTtl: 60 * DAY },
  'a bank page': { userTokenTtl: 15 * MINUTE, sessionTtl: 12 * HOUR },
} as const
type Product = keyof typeof PRODUCTS
const NAMES = Object.keys(PRODUCTS) as ReadonlyArray<Product>

onMemory('three products that share one service', (stores) => {
  let running: RunningService
  let now: number
  const keys = new Map<Product, NewApplication>()
  beforeEach(async () => {
    now = START
    const { environment, modules } = await stores.lasting()
    running = await startService(
      environment,
      ...modules,
      provide(Dependency.clock, () => () => now),
      provide(Dependency.steadyClock, () => async () => right(now)),
    )
    for (const name of NAMES)
      keys.set(
        name,
        await succeed(
          running.service.registerApplication(CONTEXT, { name, scope: 'users:sign_in', ...PRODUCTS[name] }),
        ),
      )
  })
  afterEach(() => running.stop())

  const passSeconds = (seconds: number): void => {
    now += seconds * 1000
  }
  const asProduct = async (name: Product, path: string, body: object) => {
    const made = keys.get(name)
    if (made === undefined) throw new Error('no such product')
    const { token } = await succeed(running.service.issueApplicationToken(CONTEXT, made))
    return running.send({ method: 'POST', path, token, body })
  }
  const signIn = async (name: Product): Promise<string> => {
    const { email, password } = running.user
    return (await asProduct(name, SIGN_IN, { email, password })).body.token
  }
  const renew = (name: Product, token: string) => asProduct(name, `${SIGN_IN}/renew`, { token })
  const isSignedIn = async (token: string): Promise<boolean> =>
    (await running.send({ method: 'GET', path: '/api/v1/profile', token })).status === 200

  for (const name of NAMES) {
    const { userTokenTtl, sessionTtl } = PRODUCTS[name]

    it(`${name} keeps an active user signed in until the end of the session, and no longer`, async () => {
      let token = await signIn(name)
      const step = Math.min(Math.floor(userTokenTtl * 0.9), Math.floor(sessionTtl / 2))
      for (let passed = step; passed < sessionTtl; passed += step) {
        passSeconds(step)
        expect(await isSignedIn(token), `after ${passed} seconds`).to.equal(true)
        const { status, body } = await renew(name, token)
        expect(status).to.equal(200)
        expect(body.expires_in).to.equal(Math.min(userTokenTtl, sessionTtl - passed))
        token = body.token
      }
      now = START + (sessionTtl + 5) * 1000
      expect(await isSignedIn(token)).to.equal(false)
      expect((await renew(name, token)).body.errors[0].code).to.equal(2)
    })

    it(`${name} signs an idle user out`, async () => {
      const token = await signIn(name)
      passSeconds(userTokenTtl - 1)
      expect(await isSignedIn(token)).to.equal(true)
      passSeconds(6)
      expect(await isSignedIn(token)).to.equal(false)
      expect((await renew(name, token)).body.errors[0].code).to.equal(2)
    })
  }

  it('touch each other with no change of lifetimes, and an open session ends at its own end', async () => {
    const [shop, bank] = ['a web shop', 'a bank page'] as const
    const tokens = { shop: await signIn(shop), bank: await signIn(bank) }
    const { id } = keys.get(bank)?.application ?? { id: '' }
    await succeed(running.service.setApplication(CONTEXT, id, { userTokenTtl: HOUR, sessionTtl: 2 * DAY }))
    passSeconds(10 * MINUTE)
    expect((await renew(shop, tokens.shop)).body.expires_in).to.equal(12 * HOUR)
    let { token } = (await renew(bank, tokens.bank)).body
    for (const _ of Array.from({ length: 13 })) {
      passSeconds(55 * MINUTE)
      if (now >= START + 12 * HOUR * 1000) break
      token = (await renew(bank, token)).body.token
    }
    now = START + (12 * HOUR + 5) * 1000
    expect(await isSignedIn(token), 'a session from before the change').to.equal(false)
    const newer = await signIn(bank)
    passSeconds(59 * MINUTE)
    expect((await renew(bank, newer)).body.expires_in).to.equal(HOUR)
  })
})
