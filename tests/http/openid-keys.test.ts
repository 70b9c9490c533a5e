import { expect } from 'chai'
import { importJWK, SignJWT } from 'jose'
import { compose, Dependency, provide, type Service } from '../../adapters/index.ts'
import { type Answer, httpClient, type TestRequest } from '../support/http-client.ts'
import { type Lasting, onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { FOR_PAGES, settings } from '../support/settings.ts'

const KEYS = { method: 'GET', path: '/.well-known/openid-jwks.json' }
const USER_KEYS = { method: 'GET', path: '/.well-known/user-jwks.json' }
const PROFILE = { method: 'GET', path: '/api/v1/profile' }
const OPENID = { OPENID: 'on', ACCOUNT_PAGES: 'on' }

/** The claims of a PASETO, which its signature of 64 bytes follows. */
const claimsIn = (token: string) =>
  JSON.parse(
    Buffer.from(token.split('.')[2] ?? '', 'base64url')
      .subarray(0, -64)
      .toString(),
  )

onMemory('a service with OPENID=on', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService({ ...(await stores.fresh()), ...OPENID })
  })
  after(() => running.stop())

  const signingKey = async () => {
    const { openid } = running.service
    if (openid === undefined) throw new Error('it is no OpenID provider')
    return (await succeed(openid.idTokenKeys))[0]
  }

  it('describes the route of the keys of ID tokens', () => {
    const { paths } = JSON.parse(running.service.openApi())
    expect(paths[KEYS.path].get.operationId).to.equal('listIdTokenKeys')
  })

  it('publishes the keys of ID tokens apart from all others', async () => {
    const kidsAt = async (path: string) =>
      (await running.send({ method: 'GET', path })).body.keys.map(({ kid }: { kid: string }) => kid)
    const { kid } = await signingKey()
    expect(await kidsAt(KEYS.path)).to.deep.equal([kid])
    for (const path of ['jwks', 'user-jwks', 'paseto-keys'])
      expect(await kidsAt(`/.well-known/${path}.json`), path)
        .to.have.lengthOf(1)
        .and.not.include(kid)
  })

  it('still signs users in with PASETO', async () => {
    expect(await running.userToken()).to.match(/^v4\.public\./)
  })

  it('accepts no ID token as a token', async () => {
    const { kid, privateJwk } = await signingKey()
    const claims = claimsIn(await running.userToken())
    const idToken = async (typ: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'RS256', typ, kid })
        .sign(await importJWK(privateJwk, 'RS256'))
    for (const typ of ['JWT', 'at+jwt'])
      expect((await running.send({ ...PROFILE, token: await idToken(typ) })).status, typ).to.equal(401)
  })
})

for (const environment of [{ ACCOUNT_PAGES: 'on' }, { ACCOUNT_PAGES: 'on', OPENID: 'off' }])
  onMemory(`a service with ${JSON.stringify(environment)}`, (stores) => {
    it('has no key of ID tokens, and neither the route nor its description', async () => {
      const running = await startService({ ...(await stores.fresh()), ...environment })
      try {
        expect((await running.send(KEYS)).status).to.equal(404)
        expect(JSON.parse(running.service.openApi()).paths).not.to.have.property(KEYS.path)
        const keys = await succeed(running.service.store.listSigningKeys())
        expect(keys.map(({ id }) => id)).to.deep.equal(['application-1', 'user-1'])
      } finally {
        await running.stop()
      }
    })
  })

onMemory('services with OPENID on and off on one store', (stores) => {
  let now = Date.parse('2026-11-20T12:00:00Z')
  let lasting: Lasting
  const stops: Array<() => Promise<void>> = []
  before(async () => {
    lasting = await stores.lasting()
  })
  after(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  type Instance = Readonly<{ service: Service; send: (request: TestRequest) => Promise<Answer> }>
  const start = async (environment: object): Promise<Instance> => {
    const given = settings({ ...lasting.environment, ...FOR_PAGES, ...environment })
    const clock = provide(Dependency.clock, () => () => now)
    const service = await compose(given, ...lasting.modules, clock)
    const { send, close } = httpClient(`http://127.0.0.1:${await service.listen('127.0.0.1', 0)}`)
    stops.push(async () => {
      await close()
      await service.stop()
    })
    return { service, send }
  }

  it('share the keys of user tokens as JWT, and a provider that starts again has its keys of before', async () => {
    const off = await start({})
    expect((await off.send(USER_KEYS)).body.keys).to.deep.equal([])
    const on = await start(OPENID)
    now += 1_000
    const { keys } = (await on.send(USER_KEYS)).body
    expect(keys).to.have.lengthOf(1)
    expect((await off.send(USER_KEYS)).body.keys).to.deep.equal(keys)
    expect((await off.send(KEYS)).status).to.equal(404)

    const published = (await on.send(KEYS)).body
    expect((await (await start(OPENID)).send(KEYS)).body).to.deep.equal(published)
    await succeed(off.service.rotateKeys(CONTEXT, { purposes: ['id_token'], atOnce: true }))
    now += 1_000
    const replaced = (await on.send(KEYS)).body.keys
    expect(replaced).to.have.lengthOf(1)
    expect(replaced).not.to.deep.equal(published.keys)
  })
})
