import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { Event } from '../../domain/event.ts'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { gate } from '../support/waiting.ts'

/** Each route, the message of its success, and the event of a change. */
const ROUTES = {
  disable: ['The user is disabled.', 'UserDisabled'],
  enable: ['The user is enabled.', 'UserEnabled'],
  remove: ['The user was removed.', 'UserRemoved'],
  end_sessions: ['All sessions of the user have ended.', 'SessionsEnded'],
} as const
type Action = keyof typeof ROUTES
const ACTIONS = Object.keys(ROUTES) as ReadonlyArray<Action>
const TYPES = ['UserDisabled', 'UserEnabled', 'UserRemoved', 'SessionsEnded'] as const

onMemory('the routes that manage a user', (stores) => {
  let running: RunningService
  let manager: string
  let managerId: string
  let turn: (work: 'hash' | 'verify') => Promise<undefined>
  before(async () => {
    turn = async () => undefined
    running = await startService(
      await stores.fresh(),
      provide(Dependency.passwordHasher, () => plainHasher((work) => turn(work))),
    )
    manager = await scopedToken(running, 'users:manage')
    managerId = (await succeed(running.service.authenticate(CONTEXT, 'manageUsers', manager))).application.id
  })
  after(() => running.stop())

  const manage = (action: Action, body?: unknown, token: string | undefined = manager) =>
    running.send({ method: 'POST', path: `/api/v1/users/${action}`, token, body: body as object })
  const status = async (token: string) =>
    (await running.send({ method: 'GET', path: '/api/v1/profile', token })).status
  const signIn = async (body: object) =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: await running.applicationToken(),
      body,
    })
  let count = 0
  const newcomer = async () => {
    count += 1
    const credentials = { email: `user${count}@example.com`, password: 'first' }
    const { body } = await running.send({
      method: 'POST',
      path: '/api/v1/users',
      token: await running.applicationToken(),
      body: credentials,
    })
    return { user_id: body.id as string, credentials, token: await running.userToken(credentials) }
  }
  const noted = async (userId: string): Promise<ReadonlyArray<Pick<Event, 'type' | 'data'>>> =>
    (await eventsOf(running.service.store, ...TYPES))
      .filter(({ subject }) => subject.id === userId)
      .map(({ type, data }) => ({ type, data }))
  const types = async (userId: string) => (await noted(userId)).map(({ type }) => type)
  const expectConsistent = async () =>
    expect((await succeed(running.service.checkLog)).disagreements).to.deep.equal([])

  for (const action of ACTIONS) {
    const [message, type] = ROUTES[action]

    it(`${action}: returns the operation result and records the application as the actor`, async () => {
      const { user_id } = await newcomer()
      if (action === 'enable') await succeed(running.service.disableUser(CONTEXT, user_id))
      const answer = await manage(action, { user_id })
      expect([answer.status, answer.body]).to.deep.equal([200, { success: true, code: 100, message }])
      const entries = await eventsOf(running.service.store, type)
      expect(entries.find(({ subject }) => subject.id === user_id)).to.deep.include({
        type,
        actor: { kind: 'application', id: managerId },
        request_id: answer.headers['x-request-id'],
        data: type === 'SessionsEnded' ? { password_version: 2 } : {},
      })
      await expectConsistent()
    })

    for (const body of [undefined, {}, { user_id: '' }, { user_id: null }, { user_id: 7 }, []]) {
      it(`${action}: treats user_id as missing in ${JSON.stringify(body) ?? 'no body'}`, async () => {
        const answer = await manage(action, body)
        expect([answer.status, answer.body.errors]).to.deep.equal([
          422,
          [{ code: 1, message: 'user_id is missing or empty.', param: 'user_id' }],
        ])
      })
    }

    it(`${action}: refuses what is no id of a user, also an e-mail and a removed user`, async () => {
      const removed = await newcomer()
      await manage('remove', { user_id: removed.user_id })
      const ids = [
        ...[randomUUID(), 'x', running.user.email, running.user.id.toUpperCase(), managerId, '\0'],
        `${running.user.id}\0`,
        removed.user_id,
      ]
      for (const user_id of ids) {
        const answer = await manage(action, { user_id })
        expect([answer.status, answer.body.errors], user_id).to.deep.equal([
          422,
          [{ code: 2, message: 'No user has this user_id.', param: 'user_id' }],
        ])
      }
      expect(await types(running.user.id)).to.deep.equal([])
    })

    it(`${action}: requires the scope users:manage`, async () => {
      const { user_id } = await newcomer()
      for (const scope of ['users:sign_in users:register', 'users:read users:recover']) {
        const answer = await manage(action, { user_id }, await scopedToken(running, scope))
        expect(answer.status).to.equal(403)
        expect(answer.headers['www-authenticate']).to.equal(
          'Bearer realm="portcullis", error="insufficient_scope", scope="users:manage"',
        )
      }
      expect((await manage(action, { user_id }, await running.userToken())).status).to.equal(403)
      const none = await running.send({ method: 'POST', path: `/api/v1/users/${action}`, body: { user_id } })
      expect(none.status).to.equal(401)
      expect(await types(user_id)).to.deep.equal([])
    })
  }

  it('disable blocks sign-in and ends all sessions at once; enable allows sign-in and restores none', async () => {
    const { user_id, credentials, token } = await newcomer()
    await manage('disable', { user_id })
    expect(await status(token)).to.equal(401)
    const refused = await signIn(credentials)
    const wrong = await signIn({ ...credentials, password: 'wrong' })
    expect([refused.status, refused.body]).to.deep.equal([422, wrong.body])
    await manage('enable', { user_id })
    expect(await status(token)).to.equal(401)
    expect(await status((await signIn(credentials)).body.token)).to.equal(200)
  })

  it('end_sessions ends all sessions at once, and the user can sign in again', async () => {
    const { user_id, credentials, token } = await newcomer()
    const other = await running.userToken(credentials)
    const stranger = await running.userToken()
    await manage('end_sessions', { user_id })
    expect(await Promise.all([token, other, stranger].map(status))).to.deep.equal([401, 401, 200])
    const again = (await signIn(credentials)).body.token
    expect(await status(again)).to.equal(200)
    await manage('end_sessions', { user_id })
    expect(await status(again)).to.equal(401)
    expect(await noted(user_id)).to.deep.equal([
      { type: 'SessionsEnded', data: { password_version: 2 } },
      { type: 'SessionsEnded', data: { password_version: 3 } },
    ])
  })

  it('remove ends all sessions and sign-in at once, and frees the e-mail', async () => {
    const { user_id, credentials, token } = await newcomer()
    await manage('remove', { user_id })
    expect(await status(token)).to.equal(401)
    expect((await signIn(credentials)).status).to.equal(422)
    const again = await running.send({
      method: 'POST',
      path: '/api/v1/users',
      token: await running.applicationToken(),
      body: credentials,
    })
    expect(again.status).to.equal(201)
    expect(again.body.id).not.to.equal(user_id)
  })

  it('change nothing where the user already is so', async () => {
    const { user_id, token } = await newcomer()
    expect((await manage('enable', { user_id })).status).to.equal(200)
    expect(await status(token)).to.equal(200)
    expect(await types(user_id)).to.deep.equal([])
    for (const action of ['disable', 'disable', 'end_sessions'] as const)
      expect((await manage(action, { user_id })).status).to.equal(200)
    expect(await types(user_id)).to.deep.equal(['UserDisabled'])
  })

  it('remove: one of twenty concurrent requests succeeds, and the others find no user', async () => {
    const { user_id } = await newcomer()
    const answers = await Promise.all(Array.from({ length: 20 }, () => manage('remove', { user_id })))
    expect(answers.map((answer) => answer.status).sort()).to.deep.equal([200, ...Array(19).fill(422)])
    for (const { status: code, body } of answers) if (code === 422) expect(body.errors[0].code).to.equal(2)
    expect(await types(user_id)).to.deep.equal(['UserRemoved'])
    await expectConsistent()
  })

  it('disable and end_sessions: twenty concurrent requests of each succeed', async () => {
    const { user_id } = await newcomer()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        manage(index % 2 === 0 ? 'disable' : 'end_sessions', { user_id }),
      ),
    )
    // Ten conflicts in a row are possible: then the server is overloaded, and nothing changed.
    for (const answer of answers) expect([200, 503]).to.include(answer.status)
    expect((await types(user_id)).filter((type) => type === 'UserDisabled')).to.have.lengthOf(1)
    await expectConsistent()
  })

  for (const action of ['disable', 'remove', 'end_sessions'] as const) {
    it(`${action}: a sign-in that verified the password before yields no live session`, async () => {
      const { user_id, credentials } = await newcomer()
      const held = gate()
      turn = async (work) => (work === 'verify' ? held.pass() : undefined)
      const signingIn = signIn(credentials)
      await held.reached
      turn = async () => undefined
      expect((await manage(action, { user_id })).status).to.equal(200)
      held.open()
      const answer = await signingIn
      expect(answer.status).to.equal(200)
      expect(await status(answer.body.token)).to.equal(401)
      await expectConsistent()
    })
  }
})
