import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { startThrottled, type ThrottledService } from '../support/throttled-service.ts'

onMemory('POST /api/v1/profile/remove', (stores) => {
  let running: ThrottledService
  let token: string
  before(async () => {
    running = await startThrottled(await stores.fresh())
    token = await running.userToken()
  })
  after(() => running.stop())

  const remove = (body: object) =>
    running.send({ method: 'POST', path: '/api/v1/profile/remove', token, body })

  it('refuses any other password, and none, with 422; after too many with 429', async () => {
    for (const [body, code, message] of [
      [{}, 1, 'password is missing or empty.'],
      [{ password: 'correct horse ' }, 2, 'password is not the current password.'],
      [{ password: 'correct horse\0' }, 2, 'password is not the current password.'],
      [{ password: running.user.email }, 2, 'password is not the current password.'],
    ] as const) {
      const answer = await remove(body)
      expect([answer.status, answer.body]).to.deep.equal([
        422,
        {
          success: false,
          code: 422,
          message: 'Some fields are missing or wrong; see errors.',
          errors: [{ code, message, param: 'password' }],
        },
      ])
    }
    const { status, headers } = await remove({ password: running.user.password })
    expect([status, headers['retry-after']]).to.deep.equal([429, '30'])
  })

  it('removes the user, whose token is then invalid', async () => {
    running.clock.passSeconds(30)
    const answer = await remove({ password: running.user.password })
    expect([answer.status, answer.body]).to.deep.equal([
      200,
      { success: true, code: 100, message: 'The account was removed.' },
    ])
    expect((await remove({ password: running.user.password })).status).to.equal(401)
    expect((await running.signIn(running.user.password)).status).to.equal(422)
  })
})
