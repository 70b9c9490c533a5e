import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/api/v1/auth/user/token'

onMemory('DELETE /api/v1/auth/user/token', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  it('ignores the body, and returns the operation result', async () => {
    const answer = await running.send({
      method: 'DELETE',
      path: PATH,
      token: await running.userToken(),
      body: '{ no JSON at all',
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
    })
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal({ success: true, code: 100, message: 'Signed out.' })
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': '51',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })

  it('ends the session: every route refuses its token as invalid', async () => {
    const token = await running.userToken()
    await running.send({ method: 'DELETE', path: PATH, token })
    for (const [method, path] of [
      ['GET', '/api/v1/profile'],
      ['POST', '/api/v1/profile'],
      ['POST', '/api/v1/profile/change_password'],
      ['POST', PATH],
      ['DELETE', PATH],
    ] as const) {
      const answer = await running.send({ method, path, token })
      expect([method, path, answer.status]).to.deep.equal([method, path, 401])
      expect(answer.headers['www-authenticate']).to.equal(
        'Bearer realm="portcullis", error="invalid_token", error_description="The token is not valid"',
      )
    }
  })
})
