import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const SIGN_IN = '/api/v1/auth/user/token'

onMemory('labels of sessions', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  const signIn = async (body: object) =>
    running.send({ method: 'POST', path: SIGN_IN, token: await running.applicationToken(), body })
  const codesOf = ({ body }: { body: { errors: ReadonlyArray<{ code: number }> } }) =>
    body.errors.map(({ code }) => code)

  for (const [name, label] of [
    ['101 characters', 'x'.repeat(101)],
    ['a line feed', 'Firefox\non Linux'],
    ['a space', ' '],
  ] as const)
    it(`refuse ${name} with code 6, together with missing fields and before any password`, async () => {
      const { email } = running.user
      expect(codesOf(await signIn({ label }))).to.deep.equal([1, 2, 6])
      expect(codesOf(await signIn({ email, password: 'wrong', label }))).to.deep.equal([6])
      expect(codesOf(await signIn({ email, password: 'wrong', label: 'Firefox' }))).to.deep.equal([3])
      const refused = await eventsOf(running.service.store, 'SignInRefused')
      expect(refused.map(({ data }) => 'reason' in data && data.reason)).to.include('invalid_label')
    })

  for (const label of [undefined, null, '', 7, ['Firefox']])
    it(`are absent with ${JSON.stringify(label)}`, async () => {
      const { email, password } = running.user
      const { status, body } = await signIn({ email, password, label })
      expect(status).to.equal(200)
      const path = '/api/v1/profile/sessions'
      const { sessions } = (await running.send({ method: 'GET', path, token: body.token })).body
      expect(sessions.find(({ current }: { current: boolean }) => current).label).to.equal(null)
    })

  it('are in the list, in no log entry, and gone with the sessions that a new password ends', async () => {
    const label = `${'🦊'.repeat(91)} on Linux`
    const user = { email: 'grace@example.com', password: 'first' }
    const { id } = await succeed(running.service.registerUser(CONTEXT, user, OPERATOR))
    const tokens = [await running.userToken({ ...user, label }), await running.userToken({ ...user, label })]
    const path = '/api/v1/profile/sessions'
    const { sessions } = (await running.send({ method: 'GET', path, token: tokens[0] ?? '' })).body
    expect(sessions.map((one: { label: string }) => one.label)).to.deep.equal([label, label])
    const { store } = running.service
    expect(JSON.stringify(await succeed(store.readEvents({ after: 0, limit: 500 })))).to.not.include('🦊')
    await succeed(running.service.setPassword(CONTEXT, { user: user.email, password: 'second' }))
    const rows = await succeed(store.listRows({ table: 'sessions', after: '', limit: 500 }))
    const ofGrace = rows.filter(({ userId }) => userId === id)
    expect(ofGrace.map((session) => isSome(session.label))).to.deep.equal([false, false])
  })

  it('stay with a renewal, and are gone with a sign-out', async () => {
    const { email, password } = running.user
    const token = await running.userToken({ email, password, label: 'Firefox on Linux' })
    const renewed = await running.send({
      method: 'POST',
      path: `${SIGN_IN}/renew`,
      token: await running.applicationToken(),
      body: { token },
    })
    const path = '/api/v1/profile/sessions'
    const { sessions } = (await running.send({ method: 'GET', path, token: renewed.body.token })).body
    const current = sessions.find((one: { current: boolean }) => one.current)
    expect(current.label).to.equal('Firefox on Linux')
    await running.send({ method: 'DELETE', path: SIGN_IN, token: renewed.body.token })
    const facts = await succeed(running.service.store.findSession(current.id))
    expect(isSome(facts) && isSome(facts.value.session.label)).to.equal(false)
  })
})
