import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

onMemory('email_verified in POST /api/v1/users', (stores) => {
  let running: RunningService
  let trusted: string
  before(async () => {
    running = await startService(await stores.fresh())
    trusted = await scopedToken(running, 'users:register users:confirm_email')
  })
  after(() => running.stop())

  let users = 0
  const register = async (token: string, email_verified: unknown) => {
    users += 1
    const body = { email: `user-${users}@example.com`, password: 'pw', email_verified }
    const answer = await running.send({ method: 'POST', path: '/api/v1/users', token, body })
    expect(answer.status).to.equal(201)
    const events = await eventsOf(running.service.store, 'UserRegistered')
    const logged = events.find(({ subject }) => subject.id === answer.body.id)
    expect(logged?.data).to.deep.include({ email_verified: answer.body.email_verified })
    const signedIn = await running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: await running.applicationToken(),
      body,
    })
    expect(signedIn.body.email_verified).to.equal(answer.body.email_verified)
    return answer.body.email_verified
  }

  it('verifies the e-mail if an application with the scope users:confirm_email says true', async () => {
    expect(await register(trusted, true)).to.equal(true)
  })

  for (const value of [undefined, false, null, 'true', 1, [true], { true: true }]) {
    it(`is ignored if it is ${JSON.stringify(value)}`, async () => {
      expect(await register(trusted, value)).to.equal(false)
    })
  }

  it('is ignored without the scope', async () => {
    for (const scope of ['users:register', 'users:register users:recover'])
      expect(await register(await scopedToken(running, scope), true), scope).to.equal(false)
  })
})
