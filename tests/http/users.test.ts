import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { eventsOf } from '../support/events.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { barrier } from '../support/waiting.ts'
import { withService } from '../support/with-service.ts'

const PATH = '/api/v1/users'
const NOW = Date.parse('2026-11-20T12:00:00.900Z')

onMemory('POST /api/v1/users', (stores) => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService(
      await stores.fresh(),
      provide(Dependency.clock, () => () => NOW),
    )
    token = await running.applicationToken()
  })
  after(() => running.stop())

  const register = (body: object, headers: Record<string, string> = {}) =>
    running.send({ method: 'POST', path: PATH, token, body, headers })
  const signIn = (email: string, password: string) =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token,
      body: { email, password },
    })

  it('returns 201 with the id, the e-mail and whether it is verified, and nothing else', async () => {
    const answer = await register({ email: 'Grace@Example.com', password: 'compiler' })
    expect(answer.status).to.equal(201)
    expect(Object.keys(answer.body)).to.deep.equal(['id', 'email', 'email_verified'])
    expect(answer.body.email_verified).to.equal(false)
    expect(answer.body.id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(answer.body.email).to.equal('Grace@Example.com')
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })

  it('registers a user who can sign in at once and whose profile shows the e-mail as sent', async () => {
    const { body: made } = await register({ email: 'Kay@Example.COM', password: 'pw' })
    const signedIn = await signIn('kay@example.com', 'pw')
    expect(signedIn.body.user_id).to.equal(made.id)
    const profile = await running.send({
      method: 'GET',
      path: '/api/v1/profile',
      token: signedIn.body.token,
    })
    expect(profile.body).to.deep.equal({ email: 'Kay@Example.COM', id: made.id, email_verified: false })
  })

  it('stores the password exactly as sent', async () => {
    await register({ email: 'barbara@example.com', password: ' p\u0000\u00e9 ' })
    for (const password of ['p\u0000\u00e9', ' p', ' p\u0000e\u0301 ', ' P\u0000\u00e9 ']) {
      expect((await signIn('barbara@example.com', password)).status).to.equal(422)
    }
    expect((await signIn('barbara@example.com', ' p\u0000\u00e9 ')).status).to.equal(200)
  })

  it('records the application and the user under the response’s request id, without e-mail or password', async () => {
    const sent = { email: 'jean@example.com', password: 'eniac' }
    const { body: made, headers } = await register(sent, { 'x-request-id': 'one-user' })
    const found = await succeed(running.service.store.findUserByEmail(sent.email))
    const record = found._tag === 'Some' ? found.value.passwordRecord : ''
    const [{ position, id, ...noted } = { position: 0, id: '' }, ...more] = (
      await eventsOf(running.service.store, 'UserRegistered')
    ).filter(({ request_id }) => request_id === 'one-user')
    expect(headers['x-request-id']).to.equal('one-user')
    expect(noted).to.deep.equal({
      type: 'UserRegistered',
      version: 2,
      at: '2026-11-20T12:00:00.900Z',
      subject: { kind: 'user', id: made.id },
      actor: { kind: 'application', id: running.keys.public_api_key.slice('pk_'.length) },
      request_id: 'one-user',
      data: { password_digest: nodeDigests.sha256(record), email_verified: false },
    })
    expect(more).to.deep.equal([])
  })

  it('ignores unknown fields, including fields of a stored user', async () => {
    const { status, body } = await register({
      id: 'chosen',
      email: 'ida@example.com',
      password: 'pw',
      status: 'disabled',
      password_version: 7,
      constructor: 1,
    })
    expect(status).to.equal(201)
    expect(body.id).not.to.equal('chosen')
    expect((await signIn('ida@example.com', 'pw')).status).to.equal(200)
  })

  it('requires only the scope users:register', async () => {
    const registrar = await scopedToken(running, 'users:register')
    const answer = await running.send({
      method: 'POST',
      path: PATH,
      token: registrar,
      body: { email: 'only@example.com', password: 'pw' },
    })
    expect(answer.status).to.equal(201)
  })

  it('registers one of twenty concurrent requests with the same e-mail in any case', async () => {
    const all = barrier(20)
    const inStep = provide(Dependency.passwordHasher, () => {
      const hasher = plainHasher()
      return {
        ...hasher,
        hash: (password, request) => async () => {
          if (password.startsWith('racing')) await all.pass()
          return hasher.hash(password, request)()
        },
      }
    })

    return withService(
      await stores.fresh(),
      async (racing) => {
        const racingToken = await racing.applicationToken()
        const post = (path: string, body: object) =>
          racing.send({ method: 'POST', path, token: racingToken, body })
        const before = await eventsOf(racing.service.store, 'UserRegistered')
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            post(PATH, {
              email: index % 2 ? 'race@example.com' : 'RACE@example.com',
              password: `racing ${index}`,
            }),
          ),
        )
        const winners = answers.flatMap(({ status }, index) => (status === 201 ? [index] : []))
        const losers = answers.filter(({ status }) => status !== 201)
        expect(winners).to.have.length(1)
        expect(losers.map(({ status, body }) => [status, body.errors])).to.deep.equal(
          Array(19).fill([422, [{ code: 4, param: 'email', message: 'email is already registered.' }]]),
        )
        expect(await eventsOf(racing.service.store, 'UserRegistered')).to.have.length(before.length + 1)
        const credentials = { email: 'race@example.com', password: `racing ${winners[0]}` }
        const signedIn = await post('/api/v1/auth/user/token', credentials)
        expect(signedIn.body.user_id).to.equal(answers[winners[0] ?? 0]?.body.id)
      },
      inStep,
    )
  })
})
