import { expect } from 'chai'
import { InspectFooter, PublicProtocol } from 'paseto'
import { ImportPublicKeyFactory, VerifyFactory } from 'paseto/v4/public'
import { composeOperations, Dependency, type Operations, provide } from '../../adapters/index.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL, settings } from '../support/settings.ts'

const START = Date.parse('2026-11-20T12:00:00Z')
const TTL_SECONDS = 43_200

/** Verifiers may cache published keys for ten minutes. A process honors another process’s changes within a second. */
const PUBLISHED_SECONDS = 600
const FRESH_SECONDS = 1

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

  const passSeconds = (seconds: number): void => {
    now += seconds * 1000
  }
  const rotate = (atOnce: boolean) => succeed(operator.rotateKeys(CONTEXT, { purposes: ['user'], atOnce }))

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
  const refusal = (token: string, keys: ReadonlyArray<Published>): Promise<string> =>
    verified(token, keys).then(
      () => 'none',
      (error: Error) => error.message,
    )

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

  it('is verified through a key rotation by clients that fetch the keys every ten minutes', async () => {
    let keys = await published()
    const before = await running.userToken()
    await rotate(false)
    passSeconds(FRESH_SECONDS)
    keys = await published()
    expect(keys, 'one that does not sign yet').to.have.length(2)
    expect((await verified(before, keys)).sub).to.equal(running.user.id)

    passSeconds(PUBLISHED_SECONDS - FRESH_SECONDS)
    const after = await running.userToken()
    expect(InspectFooter(after)).not.to.deep.equal(InspectFooter(before))
    expect((await verified(after, keys)).sub, 'with keys of ten minutes ago').to.equal(running.user.id)
    keys = await published()
    expect((await verified(before, keys)).sub, 'of the old key').to.equal(running.user.id)

    passSeconds(TTL_SECONDS + PUBLISHED_SECONDS)
    keys = await published()
    expect(keys).to.have.length(1)
    expect(await refusal(before, keys)).to.equal('no such key')
    expect((await verified(await running.userToken(), keys)).sub).to.equal(running.user.id)
  })

  it('is refused after a leak of its key, once the keys are fetched again', async () => {
    const keys = await published()
    const token = await running.userToken()
    await rotate(true)
    passSeconds(FRESH_SECONDS)
    expect((await verified(token, keys)).sub, 'with the keys of before').to.equal(running.user.id)
    expect(await refusal(token, await published())).to.equal('no such key')
  })

  it('is still accepted after a sign-out, which offline verification cannot detect', async () => {
    const token = await running.userToken()
    await running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token })
    expect((await running.send({ method: 'GET', path: '/api/v1/profile', token })).status).to.equal(401)
    expect((await verified(token, await published())).sub).to.equal(running.user.id)
  })
})
