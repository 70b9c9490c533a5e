import { expect } from 'chai'
import { compose, Dependency, provide } from '../../adapters/index.ts'
import { httpClient } from '../support/http-client.ts'
import { type Lasting, onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { settings } from '../support/settings.ts'

const PATH = '/api/v1/profile'

const INVALID_TOKEN = {
  status: 401,
  challenge: 'Bearer realm="portcullis", error="invalid_token", error_description="The token is not valid"',
  body: {
    success: false,
    code: 401,
    message: 'The token is invalid, expired or revoked. Get a new one.',
  },
}

onMemory('a token over time', (stores) => {
  let running: RunningService
  let now = Date.parse('2026-11-20T12:00:00Z')
  const later = (seconds: number) => {
    now = Date.parse('2026-11-20T12:00:00Z') + seconds * 1000
  }
  before(async () => {
    running = await startService(
      { ...(await stores.fresh()), APPLICATION_TOKEN_TTL: '60', USER_TOKEN_TTL: '90' },
      provide(Dependency.clock, () => () => now),
    )
  })
  after(() => running.stop())

  const TOLERANCE_SECONDS = 5

  for (const [kind, ttl, used] of [
    ['application', 60, { method: 'POST', path: '/api/v1/auth/user/token' }],
    ['user', 90, { method: 'GET', path: PATH }],
  ] as const) {
    it(`expires five seconds after its lifetime: ${kind}`, async () => {
      later(0)
      const token = await (kind === 'user' ? running.userToken() : running.applicationToken())
      const send = () => running.send({ ...used, token })
      later(ttl + TOLERANCE_SECONDS - 0.001)
      expect((await send()).status).not.to.equal(401)
      later(ttl + TOLERANCE_SECONDS)
      const { status, headers, body } = await send()
      expect({ status, challenge: headers['www-authenticate'], body }).to.deep.equal(INVALID_TOKEN)
    })

    it(`is refused when issued over five seconds in the future: ${kind}`, async () => {
      later(TOLERANCE_SECONDS + 1)
      const token = await (kind === 'user' ? running.userToken() : running.applicationToken())
      const send = () => running.send({ ...used, token })
      later(1)
      expect((await send()).status).not.to.equal(401)
      later(0)
      const { status, headers, body } = await send()
      expect({ status, challenge: headers['www-authenticate'], body }).to.deep.equal(INVALID_TOKEN)
    })
  }
})

onMemory('an issued token', (stores) => {
  let lasting: Lasting
  let running: RunningService
  before(async () => {
    lasting = await stores.lasting()
    running = await startService(lasting.environment, ...lasting.modules)
  })
  after(() => running.stop())

  const statusesAt = async (publicUrl: string) => {
    const token = await running.userToken()
    const applicationToken = await running.applicationToken()
    const other = await compose(
      settings({ ...lasting.environment, PUBLIC_URL: publicUrl }),
      ...lasting.modules,
    )
    const { send, close } = httpClient(`http://127.0.0.1:${await other.listen('127.0.0.1', 0)}`)
    try {
      const profile = await send({ method: 'GET', path: PATH, token })
      const signIn = await send({ method: 'POST', path: '/api/v1/auth/user/token', token: applicationToken })
      return [profile.status, signIn.status]
    } finally {
      await close()
      await other.stop()
    }
  }

  it('stays valid in another process with the same store and PUBLIC_URL', async () => {
    expect(await statusesAt('http://service.test')).to.deep.equal([200, 422])
  })

  it('is invalid under another PUBLIC_URL', async () => {
    expect(await statusesAt('http://elsewhere.test')).to.deep.equal([401, 401])
    expect(await statusesAt('https://service.test')).to.deep.equal([401, 401])
  })
})
