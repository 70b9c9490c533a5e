import { expect } from 'chai'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, Dependency, type Module, provide, type Service } from '../../adapters/index.ts'
import { eventsOf } from '../support/events.ts'
import { type Answer, httpClient, type TestRequest } from '../support/http-client.ts'
import { introspection } from '../support/introspection.ts'
import { type Lasting, onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { PUBLIC_URL, settings } from '../support/settings.ts'

const PROFILE = { method: 'GET', path: '/api/v1/profile' }
const SIGN_IN = { method: 'POST', path: '/api/v1/auth/user/token' }
const SIGN_OUT = { method: 'DELETE', path: '/api/v1/auth/user/token' }

const JWT = { USER_TOKEN_FORMAT: 'jwt' }
const isJwt = (token: string): boolean => token.split('.').length === 3

onMemory('a user token with USER_TOKEN_FORMAT=jwt', (stores) => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService({ ...(await stores.fresh()), ...JWT })
  })
  beforeEach(async () => {
    token = await running.userToken()
  })
  after(() => running.stop())

  it('is an access token of RFC 9068 for the public URL, and names the application and the session', async () => {
    const [key] = (await running.send({ method: 'GET', path: '/.well-known/user-jwks.json' })).body.keys
    expect(decodeProtectedHeader(token)).to.deep.equal({ alg: 'EdDSA', typ: 'at+jwt', kid: key.kid })
    const { sid, iat = 0, exp, jti, ...claims } = decodeJwt(token)
    expect(claims).to.deep.equal({
      iss: PUBLIC_URL,
      sub: running.user.id,
      aud: PUBLIC_URL,
      client_id: running.keys.public_api_key.slice('pk_'.length),
      auth_time: iat,
      acr: 'aal1',
      amr: ['pwd'],
    })
    expect(exp).to.equal(iat + 43_200)
    const { sessions } = (await running.send({ ...PROFILE, path: `${PROFILE.path}/sessions`, token })).body
    expect(sessions.find(({ current }: { current: boolean }) => current).id).to.equal(sid)
    expect(jti).to.be.a('string').that.is.not.equal(sid)
  })

  it('is introspected with its claims, its kind and the e-mail', async () => {
    const gate = await scopedToken(running, 'tokens:introspect')
    expect((await introspection(running, gate, { token })).body).to.deep.equal({
      active: true,
      token_type: 'Bearer',
      kind: 'user',
      ...decodeJwt(token),
      username: running.user.email,
    })
  })

  it('takes the place of no application token, nor the reverse', async () => {
    const application = await running.applicationToken()
    expect((await running.send({ ...SIGN_IN, token })).status).to.equal(403)
    expect((await running.send({ ...PROFILE, token: application })).status).to.equal(403)
    expect((await running.send({ ...SIGN_IN, token: application })).status).to.equal(422)
  })
})

onMemory('a change of USER_TOKEN_FORMAT', (stores) => {
  let lasting: Lasting
  let now = Date.parse('2026-11-20T12:00:00Z')
  let first: RunningService
  const stops: Array<() => Promise<void>> = []
  before(async () => {
    lasting = await stores.lasting()
    first = await startService({ ...lasting.environment, ...COUNTED }, ...lasting.modules, clock)
    stops.push(first.stop)
  })
  after(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  /** One forged token is enough for a wait, so a good token that counts as forged is noticed. */
  const COUNTED = { THROTTLE_ADDRESS_FAILURES: '1' }
  const clock: Module = provide(Dependency.clock, () => () => now)

  type Instance = Readonly<{ service: Service; send: (request: TestRequest) => Promise<Answer> }>

  /** Another service on the same store. */
  const start = async (environment: Environment): Promise<Instance> => {
    const given = settings({ ...lasting.environment, ...COUNTED, ...environment })
    const service = await compose(given, ...lasting.modules, clock)
    const { send, close } = httpClient(`http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`)
    stops.push(async () => {
      await close()
      await service.stop()
    })
    return { service, send }
  }
  const signInAt = async ({ send }: Instance): Promise<string> => {
    const { email, password } = first.user
    const body = { email, password }
    return (await send({ ...SIGN_IN, token: await first.applicationToken(), body })).body.token
  }
  const keysAt = async ({ send }: Instance): Promise<ReadonlyArray<string>> =>
    (await send({ method: 'GET', path: '/.well-known/user-jwks.json' })).body.keys

  it('makes the key at the first start with jwt, publishes it everywhere, and ends no token', async () => {
    const before = await first.userToken()
    expect(isJwt(before)).to.equal(false)
    expect(await keysAt(first)).to.deep.equal([])
    expect((await eventsOf(lasting.store, 'SigningKeyCreated')).length).to.equal(2)

    const withJwt = await start(JWT)
    const created = (await eventsOf(lasting.store, 'SigningKeyCreated')).at(-1)
    expect(created).to.deep.include({ actor: { kind: 'nobody' }, data: { purpose: 'user_jwt' } })
    const token = await signInAt(withJwt)
    expect(isJwt(token)).to.equal(true)
    expect((await withJwt.send({ ...PROFILE, token: before })).status, 'the older token').to.equal(200)

    now += 100 // the first instance has not read the keys since, which it does once a second
    expect((await first.send({ ...PROFILE, token })).status, 'at once at an older instance').to.equal(200)
    expect(await keysAt(first))
      .to.deep.equal(await keysAt(withJwt))
      .and.have.length(1)

    const back = await start({ USER_TOKEN_FORMAT: 'paseto' })
    expect(isJwt(await signInAt(back))).to.equal(false)
    expect((await back.send({ ...PROFILE, token })).status, 'a JWT after the way back').to.equal(200)
    expect(await keysAt(back)).to.have.length(1)
    expect((await back.send({ ...SIGN_OUT, token })).status).to.equal(200)
    expect((await first.send({ ...PROFILE, token })).status).to.equal(401)
    now += 43_200_000 + 5_000
    expect((await back.send({ ...PROFILE, token: before })).status, 'at its end').to.equal(401)
    expect((await eventsOf(lasting.store, 'SigningKeyCreated')).length).to.equal(3)
  })
})
