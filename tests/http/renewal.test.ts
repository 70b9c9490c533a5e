import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { compose, Dependency, type Environment, type Module, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { httpClient } from '../support/http-client.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { settings } from '../support/settings.ts'

const START = Date.parse('2026-11-20T12:00:00Z')
const SIGN_IN = '/api/v1/auth/user/token'
const RENEW = '/api/v1/auth/user/token/renew'
const TTL = 1_000
const SESSION = 2_500

onMemory(`POST ${RENEW}`, (stores) => {
  let store: Store
  let running: RunningService
  let now: number
  let environment: Environment
  let modules: ReadonlyArray<Module>
  const started = async (more: Record<string, string> = {}) => {
    now = START
    const lasting = await stores.lasting()
    store = lasting.store
    environment = { ...lasting.environment, USER_TOKEN_TTL: `${TTL}`, SESSION_TTL: `${SESSION}`, ...more }
    modules = [
      ...lasting.modules,
      provide(Dependency.clock, () => () => now),
      provide(Dependency.steadyClock, () => async () => right(now)),
    ]
    running = await startService(environment, ...modules)
  }
  beforeEach(() => started())
  afterEach(() => running.stop())

  const passSeconds = (seconds: number): void => {
    now += seconds * 1000
  }
  const renewAs = async (caller: string, body: unknown) =>
    running.send({ method: 'POST', path: RENEW, token: caller, body: body as object })
  const renew = async (token: unknown) => renewAs(await running.applicationToken(), { token })
  const profile = async (token: string) =>
    (await running.send({ method: 'GET', path: '/api/v1/profile', token })).status
  const listed = async (token: string) => {
    const path = '/api/v1/profile/sessions'
    const { body } = await running.send({ method: 'GET', path, token })
    return body.sessions.find(({ current }: { current: boolean }) => current)
  }
  const claimsOf = (token: string) => {
    const [, , payload = ''] = token.split('.')
    return JSON.parse(Buffer.from(payload, 'base64url').subarray(0, -64).toString())
  }
  const iso = (seconds: number): string => new Date(START + seconds * 1000).toISOString()
  const expectAgreement = async () => {
    const { disagreements } = await succeed(checkLog({ store, clock: () => now, digests: nodeDigests }))
    expect(disagreements).to.deep.equal([])
  }

  it('returns a new token of the same session that lives as long as one of a sign-in', async () => {
    const token = await running.userToken()
    passSeconds(900)
    const { status, body, headers } = await renew(token)
    expect(status).to.equal(200)
    expect(headers['cache-control']).to.equal('no-store')
    const { token: newer, ...rest } = body
    expect(rest).to.deep.equal({
      expires_in: TTL,
      user_id: running.user.id,
      email_verified: false,
      acr: 'aal1',
      amr: ['pwd'],
    })
    expect(newer).to.not.equal(token)
    const [before, after] = [claimsOf(token), claimsOf(newer)]
    expect([after.sid, after.sub, after.exp]).to.deep.equal([
      before.sid,
      before.sub,
      `${iso(1_900).slice(0, 19)}.000Z`,
    ])
    expect([after.auth_time, after.acr, after.amr]).to.deep.equal([iso(0), 'aal1', ['pwd']])
    passSeconds(TTL - 1)
    expect(await profile(newer)).to.equal(200)
    expect(await profile(token), 'the former token keeps its own expiry').to.equal(401)
    await expectAgreement()
  })

  it('never goes beyond the end of the session, which no renewal moves', async () => {
    let token = await running.userToken()
    for (const lifetime of [TTL, TTL, 700]) {
      passSeconds(900)
      const { status, body } = await renew(token)
      if (now < START + SESSION * 1000)
        expect([status, body.expires_in]).to.deep.equal([
          200,
          Math.min(lifetime, SESSION - (now - START) / 1000),
        ])
      else expect([status, body.errors[0].code]).to.deep.equal([422, 2])
      token = body.token ?? token
    }
    expect((await eventsOf(store, 'SessionRenewed')).at(-1)?.data).to.deep.include({
      expires_at: iso(SESSION),
    })
    await expectAgreement()
  })

  it('is refused from the end on, also while the token is tolerated', async () => {
    const first = await running.userToken()
    passSeconds(900)
    const second = (await renew(first)).body.token
    passSeconds(900)
    const last = (await renew(second)).body.token
    passSeconds(SESSION - 1_800)
    expect(await profile(last), 'clocks may differ by seconds').to.equal(200)
    expect((await renew(last)).body.errors[0].code).to.equal(2)
  })

  it('shows in the list when it was and when the session ends', async () => {
    const token = await running.userToken()
    const times = { created_at: iso(0), ends_at: iso(SESSION) }
    expect(await listed(token)).to.deep.include({ ...times, renewed_at: null, expires_at: iso(TTL) })
    passSeconds(500)
    const { body } = await renew(token)
    expect(await listed(body.token)).to.deep.include({
      ...times,
      renewed_at: iso(500),
      expires_at: iso(500 + TTL),
      application_name: 'tests',
    })
  })

  it('is recorded with the application as actor, and without a token', async () => {
    const token = await running.userToken()
    passSeconds(1)
    await renew(token)
    const [entry, ...more] = await eventsOf(store, 'SessionRenewed')
    expect(more).to.deep.equal([])
    expect(entry).to.deep.include({
      version: 1,
      subject: { kind: 'user', id: running.user.id },
      actor: { kind: 'application', id: running.keys.public_api_key.slice('pk_'.length) },
      data: { session_id: claimsOf(token).sid, expires_at: iso(1 + TTL) },
    })
  })

  it('writes the first time, and then nothing for 60 seconds: the same expiry is signed again', async () => {
    const token = await running.userToken()
    const renewals = async () => (await eventsOf(store, 'SessionRenewed')).length
    expect((await renew(token)).body.expires_in).to.equal(TTL)
    expect(await renewals()).to.equal(1)
    passSeconds(59)
    const again = await renew(token)
    expect(again.body.expires_in).to.equal(TTL - 59)
    expect(await profile(again.body.token)).to.equal(200)
    expect(await renewals()).to.equal(1)
    passSeconds(1)
    expect((await renew(token)).body.expires_in).to.equal(TTL)
    expect(await renewals()).to.equal(2)
    await expectAgreement()
  })

  it('signs in the format that is set now', async () => {
    const token = await running.userToken()
    const other = await compose(settings({ ...environment, USER_TOKEN_FORMAT: 'jwt' }), ...modules)
    const { send, close } = httpClient(`http://127.0.0.1:${await other.listen('127.0.0.1', 0)}`)
    try {
      passSeconds(1)
      const caller = await running.applicationToken()
      const { body } = await send({ method: 'POST', path: RENEW, token: caller, body: { token } })
      expect(body.token).to.match(/^eyJ/)
      expect(await profile(body.token)).to.equal(200)
      expect((await renew(body.token)).body.token).to.match(/^v4\.public\./)
    } finally {
      await close()
      await other.stop()
    }
  })

  for (const [name, body] of [
    ['no token', {}],
    ['an empty token', { token: '' }],
    ['null', { token: null }],
    ['a number', { token: 7 }],
  ] as const)
    it(`refuses ${name} with code 1`, async () => {
      const answer = await renewAs(await running.applicationToken(), body)
      expect(answer.status).to.equal(422)
      expect(answer.body.errors).to.deep.equal([
        { code: 1, message: 'token is missing or empty.', param: 'token' },
      ])
    })

  it('refuses every token that is not one of a live session of the application, with the same bytes', async () => {
    const ended: Record<string, string> = {}
    ended.forged = `${(await running.userToken()).slice(0, -8)}AAAAAAAA`
    ended['no token at all'] = 'renew me'
    ended['an application token'] = await running.applicationToken()
    ended['signed out'] = await running.userToken()
    await running.send({ method: 'DELETE', path: SIGN_IN, token: ended['signed out'] })
    const others = await scopedToken(running, 'users:sign_in')
    const { email, password } = running.user
    const byOther = await running.send({
      method: 'POST',
      path: SIGN_IN,
      token: others,
      body: { email, password },
    })
    ended['of another application'] = byOther.body.token
    ended.expired = await running.userToken()
    const own = await running.userToken()
    const answers = new Set<string>()
    for (const [name, token] of Object.entries(ended)) {
      if (name === 'expired') passSeconds(TTL + 5)
      const answer = await renew(token)
      expect(answer.status, name).to.equal(422)
      answers.add(JSON.stringify(answer.body))
    }
    expect([...answers]).to.deep.equal([
      JSON.stringify({
        success: false,
        code: 422,
        message: 'Some fields are missing or wrong; see errors.',
        errors: [
          { code: 2, message: 'token has ended, or another application opened its session.', param: 'token' },
        ],
      }),
    ])
    expect(await eventsOf(store, 'SessionRenewed')).to.deep.equal([])
    expect(await profile(own)).to.equal(401)
  })

  it('requires an application token with users:sign_in', async () => {
    const token = await running.userToken()
    expect((await renewAs(token, { token })).status).to.equal(403)
    expect((await renewAs(await scopedToken(running, 'users:register'), { token })).status).to.equal(403)
    expect((await renewAs('nothing', { token })).status).to.equal(401)
  })

  it('prolongs nothing without SESSION_TTL: the session ends with its first token', async () => {
    await running.stop()
    await started({ SESSION_TTL: '' })
    const token = await running.userToken()
    passSeconds(900)
    const { body } = await renew(token)
    expect(body.expires_in).to.equal(100)
    passSeconds(105)
    expect(await profile(body.token)).to.equal(401)
  })
})
