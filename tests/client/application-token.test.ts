import { inspect } from 'node:util'
import { expect } from 'chai'
import type { Portcullis } from '../../adapters/client/client.ts'
import { SECRET } from './calls.ts'
import {
  answer,
  applicationToken,
  dropRead,
  envelope,
  type FaultyServer,
  held,
  html,
  invalidToken,
  json,
  type Play,
  startFaultyServer,
  unavailable,
} from './faulty-server.ts'
import { thrownBy } from './thrown-by.ts'
import { timedClient } from './timed-client.ts'

const FIFTY = Array.from({ length: 50 })
const PAGE = json(200, { users: [], next: null })
const WRONG_KEYS = envelope(401, {}, { 'WWW-Authenticate': 'Bearer realm="portcullis"' })

describe('the application token of a client', () => {
  let server: FaultyServer
  beforeEach(async () => {
    server = await startFaultyServer()
  })
  afterEach(() => server.stop())

  /** The number of the application token that each request had. */
  const tokensSeen = () =>
    server.seen.map(({ headers }) =>
      Number(/application-token-(\d+)$/.exec(headers.authorization ?? '')?.[1]),
    )

  it('is requested once for 50 concurrent calls', async () => {
    const { auth } = timedClient(server)
    server.plays(...FIFTY.map(() => PAGE))
    await Promise.all(FIFTY.map(() => auth.searchUsers({})))
    expect(server.tokenRequests).to.have.lengthOf(1)
    expect(tokensSeen()).to.deep.equal(FIFTY.map(() => 1))
  })

  it('is requested with the keys of the application', async () => {
    const { auth } = timedClient(server)
    server.plays(PAGE)
    await auth.searchUsers({})
    const { publicApiKey, privateApiKey } = SECRET
    expect(JSON.parse(server.tokenRequests[0]?.body ?? '')).to.deep.equal({
      public_api_key: publicApiKey,
      private_api_key: privateApiKey,
    })
  })

  it('is not requested for an operation without one', async () => {
    const { auth } = timedClient(server)
    server.plays(json(200, {}), json(200, {}), json(200, {}))
    await auth.getPasswordPolicy()
    await auth.user(SECRET.userToken).getProfile()
    await auth.issueOauthToken({})
    expect(server.tokenRequests).to.deep.equal([])
  })

  it('is renewed once, 30 s before its end, for 50 concurrent calls', async () => {
    const { auth, time } = timedClient(server)
    const now = time.now() / 1000
    server.playsTokens(json(200, { token: applicationToken(1, now, now + 3600) }))
    server.plays(...FIFTY.map(() => PAGE), PAGE, PAGE)
    await auth.searchUsers({})
    time.pass(3_569_999)
    await auth.searchUsers({})
    expect(server.tokenRequests).to.have.lengthOf(1)
    time.pass(1)
    await Promise.all(FIFTY.map(() => auth.searchUsers({})))
    expect(server.tokenRequests).to.have.lengthOf(2)
    expect(tokensSeen()).to.deep.equal([1, 1, ...FIFTY.map(() => 2)])
  })

  it('lives as long as the service says, although its clock is an hour behind', async () => {
    const { auth, time } = timedClient(server)
    const theirs = time.now() / 1000 - 3600
    server.playsTokens(json(200, { token: applicationToken(1, theirs, theirs + 3600) }))
    server.plays(PAGE, PAGE)
    await auth.searchUsers({})
    await auth.searchUsers({})
    expect(server.tokenRequests).to.have.lengthOf(1)
  })

  for (const [name, token] of [
    ['a token that is no JWT', 'opaque'],
    ['a token without its times', `e30.${Buffer.from('{}').toString('base64url')}.c2ln`],
  ])
    it(`is used more than once if it is ${name}`, async () => {
      const { auth } = timedClient(server)
      server.playsTokens(json(200, { token }))
      server.plays(PAGE, PAGE)
      await auth.searchUsers({})
      await auth.searchUsers({})
      expect(server.tokenRequests).to.have.lengthOf(1)
    })

  it('is requested once more for a 401, and the call is repeated', async () => {
    const { auth } = timedClient(server)
    for (const call of [
      () => auth.searchUsers({}),
      () => auth.registerUser({ email: 'ada@example.com', password: 'p' }),
      () => auth.signIn({ email: 'ada@example.com', password: 'p' }),
    ]) {
      server.seen.length = 0
      server.plays(invalidToken(), PAGE)
      const before = server.tokenRequests.length
      expect(await call()).to.include({ ok: true })
      const [first = 0, second] = tokensSeen()
      expect(second).to.equal(first + 1)
      expect(server.tokenRequests.length - before).to.be.lessThan(3)
    }
  })

  it('is requested once for 50 concurrent calls that get 401', async () => {
    const { auth } = timedClient(server)
    server.plays(PAGE)
    await auth.searchUsers({})
    const all = FIFTY.map(() => held(invalidToken()))
    server.plays(...all.map(({ play }) => play), ...FIFTY.map(() => PAGE))
    const calls = Promise.all(FIFTY.map(() => auth.searchUsers({})))
    await Promise.all(all.map(({ reached }) => reached))
    for (const { open } of all) open()
    await calls
    expect(server.tokenRequests).to.have.lengthOf(2)
    expect(tokensSeen().slice(-50)).to.deep.equal(FIFTY.map(() => 2))
  })

  it('is requested only once more for one call', async () => {
    const { auth } = timedClient(server)
    server.plays(invalidToken(), invalidToken(), PAGE)
    const error = await thrownBy(auth.registerUser({ email: 'ada@example.com', password: 'p' }))
    expect(error).to.include({ name: 'PortcullisUnavailable', outcome: 'none' })
    expect([server.seen.length, server.tokenRequests.length]).to.deep.equal([2, 2])
  })

  it('stays if an older one gets 401', async () => {
    const { auth } = timedClient(server)
    const slow = held(invalidToken())
    server.plays(slow.play, invalidToken(), PAGE, PAGE, PAGE)
    const first = auth.searchUsers({})
    await slow.reached
    await auth.searchUsers({}) // its 401 brings token 2
    slow.open()
    expect(await first).to.include({ ok: true })
    await auth.searchUsers({})
    expect(server.tokenRequests).to.have.lengthOf(2)
    expect(tokensSeen()).to.deep.equal([1, 1, 2, 2, 2])
  })

  it('stays after a 401 that speaks of a user token', async () => {
    const { auth } = timedClient(server)
    server.plays(PAGE, invalidToken(), PAGE)
    await auth.searchUsers({})
    const result = await auth.user(SECRET.userToken).getProfile()
    expect(result).to.include({ ok: false, refusal: 'invalid_token' })
    await auth.searchUsers({})
    expect([server.seen.length, server.tokenRequests.length]).to.deep.equal([3, 1])
  })

  const FAILURES: ReadonlyArray<readonly [name: string, plays: ReadonlyArray<Play>, requests: number]> = [
    ['503', FIFTY.slice(0, 4).map(() => unavailable('none', '0')), 4],
    ['500', [envelope(500)], 1],
    ['a lost connection', [dropRead, dropRead, dropRead, dropRead], 4],
    ['an answer in HTML', [html(200)], 1],
    ['an empty answer', [answer(204, {}, '')], 1],
    ['an answer without a token', [json(200, {})], 1],
    ['a token that is no text', [json(200, { token: 1 })], 1],
    ['a token that no header can have', [json(200, { token: 'secret\nsecret' })], 1],
    ['a token outside of ASCII', [json(200, { token: 'secret…' })], 1],
    ['an empty token', [json(200, { token: '' })], 1],
  ]
  for (const [name, plays, requests] of FAILURES)
    it(`is requested again by the next call after ${name}`, async () => {
      const { auth } = timedClient(server)
      server.playsTokens(...plays)
      const call = () => auth.registerUser({ email: 'ada@example.com', password: 'p' })
      const errors = await Promise.all(FIFTY.map(() => thrownBy(call())))
      for (const error of errors) expect(error).to.include({ name: 'PortcullisUnavailable', outcome: 'none' })
      expect(inspect(errors[0])).not.to.include('secret')
      expect([server.tokenRequests.length, server.seen.length]).to.deep.equal([requests, 0])
      server.plays(json(201, {}))
      expect(await call()).to.include({ ok: true })
    })

  it('is repeated until it is there, for calls of every kind', async () => {
    const { auth } = timedClient(server)
    server.playsTokens(unavailable('none', '0'), dropRead, unavailable('unknown'))
    server.plays(json(200, {}))
    expect(await auth.signIn({ email: 'ada@example.com', password: 'p' })).to.include({ ok: true })
    expect([server.tokenRequests.length, server.seen.length]).to.deep.equal([4, 1])
  })

  it('is requested again for a scope that the application may have got since, at most every 10 s', async () => {
    const { auth, time } = timedClient(server)
    const lacksScope = envelope(403, {}, { 'WWW-Authenticate': 'Bearer error="insufficient_scope"' })
    server.plays(PAGE, lacksScope, PAGE, lacksScope, lacksScope, lacksScope)
    await auth.searchUsers({})
    time.pass(10_000)
    expect(await auth.searchUsers({})).to.include({ ok: true })
    expect(await thrownBy(auth.searchUsers({})), 'a new token').to.include({ status: 403 })
    time.pass(10_000)
    expect(await thrownBy(auth.searchUsers({})), 'once').to.include({ status: 403 })
    expect(tokensSeen()).to.deep.equal([1, 1, 2, 2, 2, 3])
  })

  it('is not requested again after a 403 of a proxy, which may have passed the request on', async () => {
    const { auth, time } = timedClient(server)
    server.plays(PAGE, html(403), PAGE)
    await auth.searchUsers({})
    time.pass(10_000)
    expect(await thrownBy(auth.searchUsers({}))).to.include({ name: 'RequestRefused', status: 403 })
    expect(tokensSeen()).to.deep.equal([1, 1])
  })

  it('is refused with a value after 429, and not requested until its Retry-After has passed', async () => {
    const { auth, time } = timedClient(server)
    const throttled = { ok: false, refusal: 'throttled', retryAfter: 60 }
    server.playsTokens(envelope(429, {}, { 'Retry-After': '60' }))
    expect(await auth.searchUsers({})).to.include(throttled)
    time.pass(59_999)
    expect(await auth.signIn({ email: 'ada@example.com', password: 'p' })).to.include(throttled)
    expect([server.tokenRequests.length, server.seen]).to.deep.equal([1, []])
    time.pass(1)
    server.plays(PAGE)
    expect(await auth.searchUsers({})).to.include({ ok: true })
  })

  it('is not requested with wrong API keys for 30 s, and each error says so', async () => {
    const { auth, time } = timedClient(server)
    server.playsTokens(WRONG_KEYS)
    expect(await thrownBy(auth.searchUsers({}))).to.include({ name: 'WrongApiKeys' })
    time.pass(29_999)
    const again = auth.signIn({ email: 'ada@example.com', password: 'p' })
    expect(await thrownBy(again)).to.include({ name: 'WrongApiKeys' })
    expect([server.tokenRequests.length, server.seen]).to.deep.equal([1, []])
    time.pass(1)
    server.plays(PAGE)
    expect(await auth.searchUsers({})).to.include({ ok: true })
  })

  for (const [id, call] of [
    ['searchUsers', (auth: Portcullis) => auth.searchUsers({})],
    ['signIn', (auth: Portcullis) => auth.signIn({ email: 'ada@example.com', password: 'p' })],
    ['issueApplicationToken', (auth: Portcullis) => auth.issueApplicationToken()],
    ['issueOauthToken', (auth: Portcullis) => auth.issueOauthToken({})],
    ['revokeToken', (auth: Portcullis) => auth.revokeToken({ token: 'secret' })],
  ] as const)
    it(`needs right API keys: ${id} throws WrongApiKeys, without the keys`, async () => {
      server.playsTokens(WRONG_KEYS)
      server.plays(WRONG_KEYS)
      const error = await thrownBy(call(timedClient(server).auth))
      expect(error).to.be.instanceOf(Error).and.include({ name: 'WrongApiKeys' })
      expect(error)
        .to.have.property('message')
        .that.matches(/API keys/)
      expect(inspect(error, { depth: 10, showHidden: true })).not.to.include('secret')
      expect(server.tokenRequests.length + server.seen.length).to.equal(1)
    })

  it('arrives although one of its callers aborts', async () => {
    const { auth } = timedClient(server)
    const slow = held(json(200, { token: applicationToken(1) }))
    server.playsTokens(slow.play)
    server.plays(PAGE, PAGE)
    const controller = new AbortController()
    const aborted = thrownBy(auth.searchUsers({}, { signal: controller.signal }))
    const others = [auth.searchUsers({}), auth.searchUsers({})]
    await slow.reached
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await aborted).to.equal(reason)
    slow.open()
    for (const other of others) expect(await other).to.include({ ok: true })
    expect([server.tokenRequests.length, server.seen.length]).to.deep.equal([1, 2])
  })

  it('is not kept by another client', async () => {
    server.plays(PAGE, PAGE)
    await timedClient(server).auth.searchUsers({})
    await timedClient(server).auth.searchUsers({})
    expect(server.tokenRequests).to.have.lengthOf(2)
  })
})
