import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

onMemory('GET and POST /api/v1/profile', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  for (const method of ['GET', 'POST']) {
    it(`${method} returns the user’s e-mail as registered, its id and whether it is verified`, async () => {
      const answer = await running.send({ method, path: '/api/v1/profile', token: await running.userToken() })
      expect(answer.status).to.equal(200)
      expect(Object.entries(answer.body)).to.deep.equal([
        ['email', 'Ada@Example.com'],
        ['id', running.user.id],
        ['email_verified', false],
      ])
      expect(answer.headers['content-type']).to.equal('application/json; charset=utf-8')
      expect(answer.headers['cache-control']).to.equal('no-store')
      expect(answer.headers['x-content-type-options']).to.equal('nosniff')
    })

    it(`${method} ignores the body`, async () => {
      const token = await running.userToken()
      const answer = await running.send({
        method,
        path: '/api/v1/profile',
        token,
        body: '{ no JSON at all',
        headers: { 'content-type': 'text/plain' },
      })
      expect(answer.status).to.equal(200)
    })

    it(`${method} refuses an application token with 403`, async () => {
      const token = await running.applicationToken()
      const answer = await running.send({ method, path: '/api/v1/profile', token })
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
  }

  it('GET and POST return the same response', async () => {
    const token = await running.userToken()
    const [get, post] = await Promise.all(
      ['GET', 'POST'].map((method) => running.send({ method, path: '/api/v1/profile', token })),
    )
    expect(post?.body).to.deep.equal(get?.body)
    expect(post && lastingHeaders(post)).to.deep.equal(get && lastingHeaders(get))
  })

  it('returns each user’s own e-mail', async () => {
    await succeed(
      running.service.registerUser(CONTEXT, { email: 'Bob@Example.com', password: 'secret' }, OPERATOR),
    )
    const tokens = [
      await running.userToken({ email: 'bob@example.com', password: 'secret' }),
      await running.userToken(),
    ]
    const bodies = await Promise.all(
      tokens.map(
        async (token) => (await running.send({ method: 'GET', path: '/api/v1/profile', token })).body.email,
      ),
    )
    expect(bodies).to.deep.equal(['Bob@Example.com', 'Ada@Example.com'])
  })

  it('may be repeated with one token and changes nothing', async () => {
    const token = await running.userToken()
    const events = () => succeed(running.service.store.readEvents({ after: 0, limit: 100 }))
    const before = await events()
    for (let time = 0; time < 3; time += 1) {
      const answer = await running.send({ method: 'POST', path: '/api/v1/profile', token })
      expect(answer.status).to.equal(200)
    }
    expect(await events()).to.deep.equal(before)
  })

  it('HEAD answers like GET, without the body', async () => {
    const answer = await running.send({
      method: 'HEAD',
      path: '/api/v1/profile',
      token: await running.userToken(),
    })
    expect(answer.status).to.equal(200)
    const body = { email: 'Ada@Example.com', id: running.user.id, email_verified: false }
    expect(answer.headers['content-length']).to.equal(String(JSON.stringify(body).length))
    expect(answer.body).to.equal(undefined)
  })
})
