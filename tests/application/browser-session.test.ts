import { expect } from 'chai'
import { isSome, none, type Option, some, toUndefined } from 'fp-ts/lib/Option.js'
import { FRESH_SECONDS } from '../../domain/assurance.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const HOUR = 3_600

/** Sessions of an hour without use, and of a day at most. */
const newBrowser = async () => {
  const world = await newWorld({
    environment: { ACCOUNT_PAGES: 'on', USER_TOKEN_TTL: String(HOUR), SESSION_TTL: String(24 * HOUR) },
  })
  const { service, ada } = world
  const { browsers } = service
  if (browsers === undefined) throw new Error('There are no pages.')
  const signIn = async (formerSessionId: Option<string> = none) => {
    const { secret, digest } = browsers.cookies.newSecret()
    const caller = await succeed(browsers.application())
    const context = { ...CONTEXT, browser: { cookie: digest, formerSessionId } }
    const { sessionId, token } = await succeed(service.signIn(context, caller, ada))
    return { sessionId, secret, token, cookie: browsers.cookies.sealSession({ sessionId, secret }) }
  }
  const visitor = async (cookie: string | undefined) =>
    toUndefined(await succeed(browsers.session(cookie)))?.session.id
  const renew = async (cookie: string) => {
    const caller = toUndefined(await succeed(browsers.session(cookie)))
    return caller === undefined ? none : browsers.renew(CONTEXT, caller, cookie)()
  }
  return { ...world, browsers, signIn, visitor, renew }
}

describe('the session of a browser', () => {
  let world: Awaited<ReturnType<typeof newBrowser>>
  beforeEach(async () => {
    world = await newBrowser()
  })

  it('is named by its cookie, and is as fresh as its last authentication', async () => {
    const { cookie, sessionId } = await world.signIn()
    const caller = toUndefined(await succeed(world.browsers.session(cookie)))
    expect(caller?.session.id).to.equal(sessionId)
    expect(caller?.user.id).to.equal(world.ada.id)
    expect(caller?.presented).to.deep.include({
      auth_time: caller?.session.authenticatedAtSeconds,
      acr: 'aal1',
    })
    expect(FRESH_SECONDS).to.be.lessThan(HOUR)
  })

  it('stores only a digest of the secret of its cookie', async () => {
    const { sessionId, secret } = await world.signIn()
    const stored = toUndefined(await succeed(world.store.findSession(sessionId)))?.session
    expect(secret).to.have.length(22)
    expect(JSON.stringify(stored)).not.to.include(secret)
    expect(isSome(stored?.cookie ?? none)).to.equal(true)
  })

  const NO_COOKIES: Readonly<
    Record<string, (world: Awaited<ReturnType<typeof newBrowser>>) => Promise<string | undefined>>
  > = {
    'no cookie': async () => undefined,
    'an empty one': async () => '',
    'the user token of the same session': async ({ signIn }) => (await signIn()).token,
    'a session id': async ({ signIn }) => (await signIn()).sessionId,
    'a pending sign-in': async ({ browsers, signIn }) => {
      const { sessionId, secret } = await signIn()
      return browsers.cookies.sealPending({ token: sessionId, next: secret })
    },
    'the secret of another session': async ({ browsers, signIn }) => {
      const [{ sessionId }, { secret }] = [await signIn(), await signIn()]
      return browsers.cookies.sealSession({ sessionId, secret })
    },
    'a session of an application, with any secret': async ({ browsers, service, caller, ada }) => {
      const { sessionId } = await succeed(service.signIn(CONTEXT, caller, ada))
      return browsers.cookies.sealSession({ sessionId, secret: '' })
    },
    'a session of an application that has a cookie': async ({ browsers, service, caller, ada }) => {
      const { secret, digest } = browsers.cookies.newSecret()
      const context = { ...CONTEXT, browser: { cookie: digest, formerSessionId: none } }
      const { sessionId } = await succeed(service.signIn(context, caller, ada))
      return browsers.cookies.sealSession({ sessionId, secret })
    },
    'an unknown session': async ({ browsers }) =>
      browsers.cookies.sealSession({ sessionId: '01a20174-dd5e-740b-ab17-65753410836b', secret: 'x' }),
  }
  for (const [name, make] of Object.entries(NO_COOKIES))
    it(`is none with ${name}`, async () => {
      expect(await world.visitor(await make(world))).to.equal(undefined)
    })

  it('is none with one flipped bit, wherever it is', async () => {
    const { cookie } = await world.signIn()
    for (let at = 0; at < cookie.length; at += 1) {
      const flipped = String.fromCharCode(cookie.charCodeAt(at) ^ 1)
      expect(await world.visitor(`${cookie.slice(0, at)}${flipped}${cookie.slice(at + 1)}`)).to.equal(
        undefined,
      )
    }
  })

  const ENDS: Readonly<
    Record<string, (world: Omit<World, 'signIn'>, sessionId: string) => Promise<unknown>>
  > = {
    'a sign-out': async ({ service, store }, sessionId) => {
      const facts = toUndefined(await succeed(store.findSession(sessionId)))
      if (facts === undefined) throw new Error('The session is unknown.')
      const presented = { auth_time: 0, acr: 'aal1', amr: [] }
      return succeed(service.signOut(CONTEXT, { kind: 'user', presented, ...facts }))
    },
    'a new password elsewhere': ({ service, ada }) =>
      succeed(service.setPassword(CONTEXT, { user: ada.id, password: 'nine purple otters' })),
    'a disabled user': ({ service, ada }) => succeed(service.disableUser(CONTEXT, ada.id)),
    'a removed user': ({ service, ada }) => succeed(service.removeUser(CONTEXT, ada.id)),
    'a revoked application of the pages': ({ service }) =>
      succeed(service.revokeApplication(CONTEXT, 'Account pages')),
  }
  for (const [name, end] of Object.entries(ENDS))
    it(`is none after ${name}`, async () => {
      const { cookie, sessionId } = await world.signIn()
      expect(await world.visitor(cookie)).to.equal(sessionId)
      await end(world, sessionId)
      expect(await world.visitor(cookie)).to.equal(undefined)
    })

  it('is replaced by a new sign-in of its browser, in one change', async () => {
    const first = await world.signIn()
    const second = await world.signIn(some(first.sessionId))
    expect([await world.visitor(first.cookie), await world.visitor(second.cookie)]).to.deep.equal([
      undefined,
      second.sessionId,
    ])
    const events = (await world.events()).slice(-2)
    expect(events.map(({ type, data }) => [type, data])).to.deep.include([
      'UserSignedOut',
      { session_id: first.sessionId, displaced_by: second.sessionId },
    ])
  })

  it('is opened although the one before ends at the same time', async () => {
    const first = await world.signIn()
    await ENDS['a sign-out']?.(world, first.sessionId)
    const second = await world.signIn(some(first.sessionId))
    expect(await world.visitor(second.cookie)).to.equal(second.sessionId)
  })
})

describe('the renewal of a session of a browser', () => {
  let world: Awaited<ReturnType<typeof newBrowser>>
  beforeEach(async () => {
    world = await newBrowser()
  })

  it('comes in the second half of its life, with another cookie of the same session', async () => {
    const { cookie, sessionId } = await world.signIn()
    world.clock.passSeconds(HOUR / 2 - 1)
    expect(await world.renew(cookie)).to.deep.equal(none)
    world.clock.passSeconds(1)
    const renewed = toUndefined(await world.renew(cookie))
    expect(renewed?.cookie).not.to.equal(cookie)
    expect(await world.visitor(renewed?.cookie)).to.equal(sessionId)
    expect(renewed?.maxAgeSeconds).to.equal(HOUR)
    expect(await world.renew(cookie), 'at most once').to.deep.equal(none)
  })

  it('is one of two at the same time', async () => {
    const { cookie } = await world.signIn()
    world.clock.passSeconds(HOUR / 2)
    const both = await Promise.all([world.renew(cookie), world.renew(cookie)])
    expect(both.filter(isSome)).to.have.length(1)
  })

  it('never reaches beyond the end of the session', async () => {
    const { cookie } = await world.signIn()
    const end = Math.floor(world.clock.read() / 1_000) + 24 * HOUR
    let last = 0
    for (let step = 0; step < 60; step += 1) {
      world.clock.passSeconds(HOUR / 2)
      const renewed = toUndefined(await world.renew(cookie))
      if (renewed) last = Math.floor(world.clock.read() / 1_000) + renewed.maxAgeSeconds
    }
    expect(last).to.equal(end)
    expect(await world.visitor(cookie)).to.equal(undefined)
  })

  it('needs the assurance that the application of the pages requires', async () => {
    const { cookie } = await world.signIn()
    await succeed(world.service.setApplication(CONTEXT, 'Account pages', { requireAal2: true }))
    world.clock.passSeconds(HOUR / 2)
    expect(await world.renew(cookie)).to.deep.equal(none)
  })
})
