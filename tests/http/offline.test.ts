import { expect } from 'chai'
import { InspectFooter, PublicProtocol } from 'paseto'
import { ImportPublicKeyFactory, VerifyFactory } from 'paseto/v4/public'
import { composeOperations, Dependency, type Operations, provide } from '../../adapters/index.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL, settings } from '../support/settings.ts'

const START = Date.parse('2026-11-20T12:00:00Z')

/** The public interface of the package, with its own cryptography, as another service would use it. */
const v4 = new PublicProtocol(ImportPublicKeyFactory, VerifyFactory)

type Published = Readonly<{ kid: string; paserk: `k4.public.${string}` }>

onMemory('a user token that resource servers verify with a published key', (stores) => {
  let now: number
  let running: RunningService
  let operator: Operations
  beforeEach(async () => {
    now = START
    const { environment, modules } = await stores.lasting()
    const shared = [...modules, provide(Dependency.clock, () => () => now)]
    running = await startService(environment, ...shared)
    operator = await composeOperations(settings(environment), ...shared)
  })
  afterEach(async () => {
    await operator.close()
    await running.stop()
  })

  const published = async (): Promise<ReadonlyArray<Published>> =>
    (await running.send({ method: 'GET', path: '/.well-known/paseto-keys.json' })).body.keys

  /** The claims of a token, verified with these keys. Throws when the token is invalid. */
  const verified = async (token: string, keys: ReadonlyArray<Published>) => {
    const { kid } = JSON.parse(Buffer.from(InspectFooter(token)).toString())
    const key = keys.find((one) => one.kid === kid)
    if (key === undefined) throw new Error('no such key')
    const publicKey = await v4.ImportPublicKey(key.paserk)
    return (await v4.Verify(publicKey, token, { issuer: PUBLIC_URL, now: new Date(now) })).claims
  }

  it('has the claims for the user, the issuer and the lifetime', async () => {
    const claims = await verified(await running.userToken(), await published())
    expect(claims).to.have.all.keys('iss', 'sub', 'sid', 'iat', 'exp', 'jti', 'auth_time', 'acr', 'amr')
    expect(claims).to.include({
      iss: PUBLIC_URL,
      sub: running.user.id,
      iat: '2026-11-20T12:00:00.000Z',
      exp: '2026-11-21T00:00:00.000Z',
    })
  })

  it('is still accepted after a sign-out, which offline verification cannot detect', async () => {
    const token = await running.userToken()
    await running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token })
    expect((await running.send({ method: 'GET', path: '/api/v1/profile', token })).status).to.equal(401)
    expect((await verified(token, await published())).sub).to.equal(running.user.id)
  })
})
