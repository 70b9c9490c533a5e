import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText, withoutDateAndId } from '../support/raw-text.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

/** These responses must not differ in bytes (here) or in time (`make bench-oracle`). */
onMemory('a refusal has the same bytes for every reason', (stores) => {
  const START = Date.parse('2026-11-20T12:00:00Z')
  const PASSWORD = 'correct horse'
  let now: number
  let running: RunningService
  before(async () => {
    now = START
    running = await startService(
      await stores.fresh(),
      provide(Dependency.clock, () => () => now),
    )
  })
  after(() => running.stop())

  /** The status line, headers and body as sent. */
  const answerTo = async (path: string, body: object, ...headers: ReadonlyArray<string>) => {
    const request = requestText(
      'POST',
      path,
      ['Content-Type: application/json', ...headers],
      JSON.stringify(body),
    )
    return withoutDateAndId(await sendRaw(running.port, request))
  }

  describe('of a sign-in', () => {
    const register = async (email: string): Promise<string> =>
      (await succeed(running.service.registerUser(CONTEXT, { email, password: PASSWORD }, OPERATOR))).id
    let removedId: string
    before(async () => {
      const { service } = running
      await register('disabled@example.com')
      await succeed(service.disableUser(CONTEXT, 'disabled@example.com'))
      removedId = await register('removed@example.com')
      await succeed(service.removeUser(CONTEXT, 'removed@example.com'))
    })

    const signIn = async (email: string, password: string): Promise<string> => {
      const token = await running.applicationToken()
      return answerTo('/api/v1/auth/user/token', { email, password }, `Authorization: Bearer ${token}`)
    }

    const REASONS: ReadonlyArray<[string, () => Promise<string>]> = [
      ['a wrong password', () => signIn(running.user.email, 'wrong')],
      ['a disabled user and a wrong password', () => signIn('disabled@example.com', 'wrong')],
      ['a disabled user and the right password', () => signIn('disabled@example.com', PASSWORD)],
      ['the e-mail of a removed user', () => signIn('removed@example.com', PASSWORD)],
      ['the id of a removed user', () => signIn(removedId, PASSWORD)],
    ]
    for (const [reason, refused] of REASONS) {
      it(`${reason}, like an unknown e-mail`, async () => {
        const unknown = await signIn('nobody@example.com', PASSWORD)
        expect(unknown).to.match(/^HTTP\/1\.1 422 [\s\S]*"code":3,/)
        expect(await refused()).to.equal(unknown)
      })
    }
  })

  describe('of API keys', () => {
    type Pair = RunningService['keys']
    const OVERLAP_SECONDS = 60

    const register = async (): Promise<{ id: string; keys: Pair }> => {
      const { application, publicApiKey, privateApiKey } = await succeed(
        running.service.registerApplication(CONTEXT, { name: 'another', scope: 'users:sign_in' }),
      )
      return { id: application.id, keys: { public_api_key: publicApiKey, private_api_key: privateApiKey } }
    }
    const rotate = (id: string, overlapSeconds: number) =>
      succeed(running.service.rotateApplicationKey(CONTEXT, { id, overlapSeconds }))

    const issue = (keys: Pair): Promise<string> => answerTo('/api/v1/auth/application/token', keys)

    const REASONS: ReadonlyArray<[string, (id: string, keys: Pair, others: Pair) => Promise<Pair>]> = [
      [
        'another private key',
        async (_, keys, others) => ({ ...keys, private_api_key: others.private_api_key }),
      ],
      [
        'a revoked application',
        async (id, keys) => {
          await succeed(running.service.revokeApplication(CONTEXT, id))
          return keys
        },
      ],
      [
        'a revoked application and another private key',
        async (id, keys, others) => {
          await succeed(running.service.revokeApplication(CONTEXT, id))
          return { ...keys, private_api_key: others.private_api_key }
        },
      ],
      [
        'a private key that was rotated without overlap',
        async (id, keys) => {
          await rotate(id, 0)
          return keys
        },
      ],
      [
        'a private key whose overlap has ended',
        async (id, keys) => {
          await rotate(id, OVERLAP_SECONDS)
          now += (OVERLAP_SECONDS - 1) * 1000
          expect(await issue(keys), 'in its last second').to.match(/^HTTP\/1\.1 200 /)
          now += 1000
          return keys
        },
      ],
      [
        'a private key that was rotated twice',
        async (id, keys) => {
          await rotate(id, OVERLAP_SECONDS)
          await rotate(id, OVERLAP_SECONDS)
          return keys
        },
      ],
    ]
    for (const [reason, spoil] of REASONS) {
      it(`${reason}, like an unknown public key`, async () => {
        const [{ id, keys }, { keys: others }] = [await register(), await register()]
        expect(await issue(keys)).to.match(/^HTTP\/1\.1 200 /)
        const unknown = await issue({ ...keys, public_api_key: `pk_${randomUUID()}` })
        expect(unknown).to.match(/^HTTP\/1\.1 401 /)
        expect(await issue(await spoil(id, keys, others))).to.equal(unknown)
      })
    }
  })
})
