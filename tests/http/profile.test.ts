import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/api/v1/profile'

onMemory('GET and POST /api/v1/profile', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  for (const method of ['GET', 'POST', 'HEAD']) {
    it(`${method} returns the user’s e-mail as registered, its id, roles and whether it is verified, and ignores the body`, async () => {
      const answer = await running.send({
        method,
        path: PATH,
        token: await running.userToken(),
        body: '{ no JSON at all',
        headers: { 'content-type': 'text/plain' },
      })
      expect(answer.status).to.equal(200)
      const profile = { email: 'Ada@Example.com', id: running.user.id, email_verified: false, roles: [] }
      expect(lastingHeaders(answer)).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': String(JSON.stringify(profile).length),
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
      })
      if (method === 'HEAD') expect(answer.body).to.equal(undefined)
      else expect(Object.entries(answer.body)).to.deep.equal(Object.entries(profile))
    })
  }

  it('returns each user’s own e-mail', async () => {
    const bob = { email: 'Bob@Example.com', password: 'secret' }
    await succeed(running.service.registerUser(CONTEXT, bob, OPERATOR))
    for (const [token, email] of [
      [await running.userToken(bob), bob.email],
      [await running.userToken(), running.user.email],
    ] as const)
      expect((await running.send({ method: 'GET', path: PATH, token })).body.email).to.equal(email)
  })
})
