import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/api/v1/auth/user/token'

onMemory('DELETE /api/v1/auth/user/token', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  const signOut = (token: string, headers: Record<string, string> = {}) =>
    running.send({ method: 'DELETE', path: PATH, token, headers })
  const profileStatus = async (token: string) =>
    (await running.send({ method: 'GET', path: '/api/v1/profile', token })).status

  it('returns the operation result', async () => {
    const answer = await signOut(await running.userToken())
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
    await signOut(token)
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

  it('keeps the other sessions of the user', async () => {
    const other = await running.userToken()
    await signOut(await running.userToken())
    expect(await profileStatus(other)).to.equal(200)
  })

  it('succeeds once for concurrent requests with one token', async () => {
    const token = await running.userToken()
    const answers = await Promise.all(Array.from({ length: 10 }, () => signOut(token)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(9).fill(401)])
  })

  it('records the sign-out once, under the response’s request id', async () => {
    const token = await running.userToken()
    const [signedIn] = (
      await succeed(running.service.store.readEvents({ after: 0, limit: 100, type: 'UserSignedIn' }))
    ).slice(-1)
    await signOut(token, { 'x-request-id': 'one-sign-out' })
    await signOut(token, { 'x-request-id': 'one-sign-out' })
    const entries = await succeed(
      running.service.store.readEvents({ after: 0, limit: 100, type: 'UserSignedOut' }),
    )
    const noted = entries.filter(({ request_id }) => request_id === 'one-sign-out')
    expect(
      noted.map(({ type, version, subject, actor, data }) => ({ type, version, subject, actor, data })),
    ).to.deep.equal([
      {
        type: 'UserSignedOut',
        version: 1,
        subject: { kind: 'user', id: running.user.id },
        actor: { kind: 'user', id: running.user.id },
        data: { session_id: signedIn?.type === 'UserSignedIn' && signedIn.data.session_id },
      },
    ])
  })

  it('ignores the body', async () => {
    const answer = await running.send({
      method: 'DELETE',
      path: PATH,
      token: await running.userToken(),
      body: '{ no JSON at all',
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
    })
    expect(answer.status).to.equal(200)
  })

  it('refuses an application token with 403', async () => {
    const answer = await signOut(await running.applicationToken())
    expect(answer.status).to.equal(403)
    expect(answer.body).to.deep.equal({
      success: false,
      code: 403,
      message: 'This operation requires a user token.',
    })
    expect(answer.headers['www-authenticate']).to.equal(
      'Bearer realm="portcullis", error="insufficient_scope"',
    )
  })

  it('returns 401 without a token', async () => {
    const answer = await running.send({ method: 'DELETE', path: PATH })
    expect(answer.status).to.equal(401)
    expect(answer.headers['www-authenticate']).to.equal('Bearer realm="portcullis"')
  })
})
