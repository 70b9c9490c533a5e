import { expect } from 'chai'
import { codesOf } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { sessionsAt } from '../support/sessions.ts'

const PATH = '/api/v1/users/reset_factors'
const NO_USER = '0192f1a6-0000-7000-8000-000000000001'

onMemory(`POST ${PATH}`, (stores) => {
  let running: RunningService
  let support: string
  before(async () => {
    running = await startService(await stores.fresh()) // with SECOND_FACTORS=off
    support = await scopedToken(running, 'users:reset_factors')
  })
  after(() => running.stop())

  const reset = (token: string, body: object) => running.send({ method: 'POST', path: PATH, token, body })

  it('ends the sessions of the user, and returns the operation result', async () => {
    const token = await running.userToken()
    const { status, body } = await reset(support, { user_id: running.user.id })
    expect([status, body.success, body.code]).to.deep.equal([200, true, 100])
    expect(await sessionsAt(running).status(token)).to.equal(401)
  })

  it('reports a missing and an unknown user', async () => {
    for (const [body, code] of [
      [{}, 1],
      [{ user_id: NO_USER }, 2],
    ] as const) {
      const { status, body: answer } = await reset(support, body)
      expect([status, codesOf(answer)]).to.deep.equal([422, [[code, 'user_id']]])
    }
  })

  it('requires its scope, which is no default', async () => {
    const others = 'users:sign_in users:register users:recover users:confirm_email users:read users:manage'
    const callers = [
      await scopedToken(running, others),
      await running.applicationToken(),
      await running.userToken(),
    ]
    for (const refused of callers)
      expect((await reset(refused, { user_id: running.user.id })).status).to.equal(403)
  })
})
