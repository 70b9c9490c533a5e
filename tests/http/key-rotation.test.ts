import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { decodeProtectedHeader } from 'jose'
import { composeOperations, Dependency, type Operations, provide } from '../../adapters/index.ts'
import type { KeyPurpose } from '../../domain/signing-key.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { settings } from '../support/settings.ts'

/** Verifiers may cache published keys for ten minutes. A process honors another process’s changes within a second. */
const PUBLISHED_SECONDS = 600
const FRESH_SECONDS = 1

const PASETO_KID = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[3] ?? '', 'base64url').toString()).kid
const JWT_KID = (token: string) => decodeProtectedHeader(token).kid

/** Where keys are published, the lifetime of a token, and a request that takes it, with the status for a valid one. */
const PURPOSES = [
  [
    'application',
    'paseto',
    '/.well-known/jwks.json',
    JWT_KID,
    3_600,
    ['POST', '/api/v1/auth/user/token', 422],
  ],
  ['user', 'paseto', '/.well-known/paseto-keys.json', PASETO_KID, 43_200, ['GET', '/api/v1/profile', 200]],
  ['user_jwt', 'jwt', '/.well-known/user-jwks.json', JWT_KID, 43_200, ['GET', '/api/v1/profile', 200]],
] as const satisfies ReadonlyArray<readonly [KeyPurpose, ...unknown[]]>

for (const [purpose, format, path, kidOf, ttl, [method, used, good]] of PURPOSES)
  onMemory(`signing keys for ${purpose} tokens, which another process rotates`, (stores) => {
    let now: number
    let running: RunningService
    let operator: Operations
    beforeEach(async () => {
      now = Date.parse('2026-11-20T12:00:00Z')
      const lasting = await stores.lasting()
      const environment = { ...lasting.environment, USER_TOKEN_FORMAT: format }
      const shared = [
        ...lasting.modules,
        provide(Dependency.clock, () => () => now),
        provide(Dependency.steadyClock, () => async () => right(now)),
      ]
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
    const rotate = (atOnce: boolean) => succeed(operator.rotateKeys(CONTEXT, { purposes: [purpose], atOnce }))
    const published = async (): Promise<ReadonlyArray<string>> =>
      (await running.send({ method: 'GET', path })).body.keys.map(({ kid }: { kid: string }) => kid)
    const newToken = () => (purpose === 'application' ? running.applicationToken() : running.userToken())
    const use = (token: string) => running.send({ method, path: used, token })

    it('are published before they sign, and leave tokens of the old key valid until they expire', async () => {
      const [old] = await published()
      const before = await newToken()
      expect(kidOf(before)).to.equal(old)
      await rotate(false)
      passSeconds(FRESH_SECONDS)
      const [first, next, ...more] = await published()
      expect([first, more]).to.deep.equal([old, []])
      expect((await use(before)).status, 'from before').to.equal(good)
      passSeconds(PUBLISHED_SECONDS - FRESH_SECONDS - 1)
      const last = await newToken()
      expect(kidOf(last), 'the last that the old key signs').to.equal(old)
      passSeconds(1)
      const after = await newToken()
      expect([kidOf(after), (await use(after)).status]).to.deep.equal([next, good])
      passSeconds(ttl - 2)
      expect((await use(last)).status).to.equal(good)
      passSeconds(PUBLISHED_SECONDS + 2)
      expect(await published()).to.deep.equal([next])
    })

    it('sign at once after a leak, and tokens of the old key are invalid', async () => {
      const before = await newToken()
      await rotate(true)
      passSeconds(FRESH_SECONDS)
      const { status, headers } = await use(before)
      expect([status, headers['www-authenticate']]).to.deep.equal([
        401,
        'Bearer realm="portcullis", error="invalid_token", error_description="The token is not valid"',
      ])
      const after = await newToken()
      expect([await published(), (await use(after)).status]).to.deep.equal([[kidOf(after)], good])
    })
  })
