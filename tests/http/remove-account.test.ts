import { expect } from 'chai'
import type { Store } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { startThrottled, statusesOf, type ThrottledService } from '../support/throttled-service.ts'

const PATH = '/api/v1/profile/remove'
const REMOVED = { success: true, code: 100, message: 'The account was removed.' }
const refusal = (code: number, message: string) => ({
  success: false,
  code: 422,
  message: 'Some fields are missing or wrong; see errors.',
  errors: [{ code, message, param: 'password' }],
})
const MISSING = refusal(1, 'password is missing or empty.')
const WRONG = refusal(2, 'password is not the current password.')

onMemory('POST /api/v1/profile/remove', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  const remove = (token: string, body?: unknown) =>
    running.send({ method: 'POST', path: PATH, token, body: body as object })
  const status = async (token: string) =>
    (await running.send({ method: 'GET', path: '/api/v1/profile', token })).status
  const register = async (email: string) => {
    const credentials = { email, password: 'first' }
    const { body } = await running.send({
      method: 'POST',
      path: '/api/v1/users',
      token: await running.applicationToken(),
      body: credentials,
    })
    return { id: body.id, credentials, token: await running.userToken(credentials) }
  }
  const signIn = async (body: object) =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: await running.applicationToken(),
      body,
    })
  const everything = async (store: Store) => ({
    events: await succeed(store.readEvents({ after: 0, limit: 10_000 })),
    users: await succeed(store.listRows({ table: 'users', after: '', limit: 1_000 })),
  })
  const expectConsistent = async () => {
    const checked = await succeed(running.service.checkLog)
    expect(checked.disagreements).to.deep.equal([])
  }

  it('ends every session and sign-in at once, and only the id remains', async () => {
    const bea = await register('Bea@example.com')
    const other = await running.userToken(bea.credentials)
    const answer = await remove(bea.token, { password: 'first' })
    expect([answer.status, answer.body]).to.deep.equal([200, REMOVED])
    expect([await status(bea.token), await status(other)]).to.deep.equal([401, 401])
    expect((await remove(bea.token, { password: 'first' })).status).to.equal(401)
    expect((await signIn(bea.credentials)).body.errors[0].code).to.equal(3)
    const { users } = await everything(running.service.store)
    expect(JSON.stringify(users)).not.to.match(/bea@example/i)
    expect(users.find(({ id }) => id === bea.id)).to.include({ status: 'removed', passwordRecord: '' })
    await expectConsistent()
  })

  it('frees the e-mail for another user', async () => {
    const cleo = await register('cleo@example.com')
    await remove(cleo.token, { password: 'first' })
    const next = await register('CLEO@example.com')
    expect(next.id).not.to.equal(cleo.id)
    expect([await status(cleo.token), await status(next.token)]).to.deep.equal([401, 200])
  })

  it('records the user as the actor, under the response’s request id', async () => {
    const dan = await register('dan@example.com')
    const { headers } = await remove(dan.token, { password: 'first' })
    const removals = await eventsOf(running.service.store, 'UserRemoved')
    expect(removals.find(({ subject }) => subject.id === dan.id)).to.deep.include({
      actor: { kind: 'user', id: dan.id },
      data: {},
      request_id: headers['x-request-id'],
    })
  })

  for (const body of [undefined, {}, { password: '' }, { password: null }, { password: 7 }, []]) {
    it(`treats the password as missing in ${JSON.stringify(body) ?? 'no body'}`, async () => {
      const token = await running.userToken()
      const before = await everything(running.service.store)
      const answer = await remove(token, body)
      expect([answer.status, answer.body]).to.deep.equal([422, MISSING])
      expect(await everything(running.service.store)).to.deep.equal(before)
    })
  }

  it('refuses any other password, and changes nothing', async () => {
    const token = await running.userToken()
    for (const password of ['Correct horse', 'correct horse ', 'correct horse\0', running.user.email]) {
      const answer = await remove(token, { password })
      expect([answer.status, answer.body]).to.deep.equal([422, WRONG])
    }
    expect(await status(token)).to.equal(200)
    await expectConsistent()
  })

  it('removes a user whose password an operator set meanwhile only with a new session', async () => {
    const eve = await register('eve@example.com')
    await succeed(running.service.setPassword(CONTEXT, { user: eve.id, password: 'second' }))
    for (const password of ['first', 'second'])
      expect((await remove(eve.token, { password })).status).to.equal(401)
    const token = await running.userToken({ email: 'eve@example.com', password: 'second' })
    expect((await remove(token, { password: 'second' })).status).to.equal(200)
  })

  it('succeeds once of twenty concurrent requests; the others find their token invalid', async () => {
    const fay = await register('fay@example.com')
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => remove(fay.token, { password: 'first' })),
    )
    const statuses = answers.map((answer) => answer.status).sort()
    expect(statuses).to.deep.equal([200, ...Array(19).fill(401)])
    const removals = await eventsOf(running.service.store, 'UserRemoved')
    expect(removals.filter(({ subject }) => subject.id === fay.id)).to.have.lengthOf(1)
    const refused = await eventsOf(running.service.store, 'SignInRefused')
    expect(refused.filter(({ subject }) => subject.id === fay.id)).to.deep.equal([])
    await expectConsistent()
  })

  it('and a concurrent sign-in leave no live session', async () => {
    for (let round = 0; round < 5; round += 1) {
      const gil = await register(`gil${round}@example.com`)
      const [signedIn, removed] = await Promise.all([
        signIn(gil.credentials),
        remove(gil.token, { password: 'first' }),
      ])
      expect(removed.status).to.equal(200)
      if (signedIn.status === 200) expect(await status(signedIn.body.token)).to.equal(401)
    }
    await expectConsistent()
  })

  it('and a concurrent password change in one session: both never succeed with the old password', async () => {
    for (let round = 0; round < 5; round += 1) {
      const hal = await register(`hal${round}@example.com`)
      const change = running.send({
        method: 'POST',
        path: '/api/v1/profile/change_password',
        token: hal.token,
        body: { old_password: 'first', new_password: 'x', new_password_check: 'x' },
      })
      const [removed, changed] = await Promise.all([remove(hal.token, { password: 'first' }), change])
      if (changed.status === 200) expect(removed.body).to.deep.equal(WRONG)
      else {
        expect(removed.status).to.equal(200)
        expect([401, 422]).to.include(changed.status)
      }
    }
    await expectConsistent()
  })
})

onMemory('removals with a wrong password, at a limit of three in a row', (stores) => {
  let running: ThrottledService
  let session: string
  beforeEach(async () => {
    running = await startThrottled(await stores.fresh())
    session = await running.userToken()
  })
  afterEach(() => running.stop())

  const remove = (password: string, token = session) =>
    running.send({ method: 'POST', path: PATH, token, body: { password } })
  const fail = (times: number) => statusesOf(times, () => remove('wrong'))

  it('block further removals and password changes in that session, also with the right password', async () => {
    expect(await fail(3)).to.deep.equal([422, 422, 422])
    const { status, headers } = await remove('correct horse')
    expect([status, headers['retry-after']]).to.deep.equal([429, '30'])
    expect((await running.change(session, 'correct horse')).status).to.equal(429)
    running.clock.passSeconds(30)
    expect((await remove('correct horse')).status).to.equal(200)
  })

  it('count on the account too, but the account’s count does not stop the owner', async () => {
    expect(await fail(3)).to.deep.equal([422, 422, 422])
    expect((await running.signIn('correct horse')).status).to.equal(429)
    running.clock.passSeconds(30)
    const other = await running.userToken()
    await running.failToSignIn(4)
    expect((await remove('correct horse', other)).status).to.equal(200)
  })
})

onMemory('refused removals', (stores) => {
  it('are recorded as refusals by the user; a missing password is not', async () => {
    const { environment, modules, store } = await stores.lasting()
    const running = await startThrottled(environment, ...modules)
    const token = await running.userToken()
    const remove = (password: string) =>
      running.send({ method: 'POST', path: PATH, token, body: { password } })
    await remove('')
    expect(await statusesOf(4, () => remove('wrong'))).to.deep.equal([422, 422, 422, 429])
    await running.stop() // writes all refusals
    const refused = await eventsOf(store, 'SignInRefused')
    expect(refused.map(({ data }) => data)).to.have.deep.members([
      { reason: 'wrong_password' },
      { reason: 'wrong_password' },
      { reason: 'wrong_password' },
      { reason: 'too_many_failures' },
    ])
    const user = { kind: 'user', id: running.user.id }
    for (const entry of refused) expect(entry).to.deep.include({ subject: user, actor: user })
  })
})
