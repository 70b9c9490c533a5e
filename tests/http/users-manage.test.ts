import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

/** Each route, the message of its success, its event, and whether the session of the user has ended. */
const ROUTES = [
  ['end_sessions', 'All sessions of the user have ended.', 'SessionsEnded'],
  ['disable', 'The user is disabled.', 'UserDisabled'],
  ['enable', 'The user is enabled.', 'UserEnabled'],
  ['remove', 'The user was removed.', 'UserRemoved'],
] as const

onMemory('the routes that manage a user', (stores) => {
  let running: RunningService
  let manager: string
  let managerId: string
  before(async () => {
    running = await startService(await stores.fresh())
    manager = await scopedToken(running, 'users:manage')
    managerId = (await succeed(running.service.authenticate(CONTEXT, 'manageUsers', manager))).application.id
  })
  after(() => running.stop())

  for (const [action, message, type] of ROUTES) {
    const manage = (body: object) =>
      running.send({ method: 'POST', path: `/api/v1/users/${action}`, token: manager, body })

    it(`${action}: is 422 without user_id, and for what is no id of a user`, async () => {
      for (const [body, code, text] of [
        [{}, 1, 'user_id is missing or empty.'],
        [{ user_id: running.user.email }, 2, 'No user has this user_id.'],
      ] as const) {
        const answer = await manage(body)
        expect([answer.status, answer.body.errors]).to.deep.equal([
          422,
          [{ code, message: text, param: 'user_id' }],
        ])
      }
    })

    it(`${action}: returns the operation result and records the application as the actor`, async () => {
      const session = action === 'enable' || action === 'remove' ? undefined : await running.userToken()
      const answer = await manage({ user_id: running.user.id })
      expect([answer.status, answer.body]).to.deep.equal([200, { success: true, code: 100, message }])
      const [entry] = await eventsOf(running.service.store, type)
      expect(entry).to.deep.include({
        subject: { kind: 'user', id: running.user.id },
        actor: { kind: 'application', id: managerId },
        request_id: answer.headers['x-request-id'],
      })
      if (session === undefined) return
      const profile = await running.send({ method: 'GET', path: '/api/v1/profile', token: session })
      expect(profile.status).to.equal(401)
    })
  }
})
