import { expect } from 'chai'
import { onEveryStore } from '../support/every-store.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/.well-known/paseto-keys.json'

onEveryStore('GET /.well-known/paseto-keys.json', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  it('shows the public half of the key of user tokens, and of no other', async () => {
    const [key, ...more] = (await succeed(running.service.store.listSigningKeys())).filter(
      ({ purpose }) => purpose === 'user',
    )
    expect(more).to.deep.equal([])
    const answer = await running.send({ method: 'GET', path: PATH })
    const { paserk } = answer.body.keys[0]
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal({
      keys: [{ kid: key?.kid, version: 'v4', purpose: 'public', paserk }],
    })
    expect(paserk).to.match(/^k4\.public\.[A-Za-z0-9_-]{43}$/)
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'public, max-age=60, must-revalidate',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      etag: answer.headers.etag,
      'x-content-type-options': 'nosniff',
    })
  })

  it('names the key as the footer of a user token does', async () => {
    const [, , , footer = ''] = (await running.userToken()).split('.')
    const [key] = (await running.send({ method: 'GET', path: PATH })).body.keys
    expect(JSON.parse(Buffer.from(footer, 'base64url').toString())).to.deep.equal({ kid: key.kid })
  })

  it('needs no token, and looks at none', async () => {
    const answer = await running.send({ method: 'GET', path: PATH, token: 'nonsense' })
    expect(answer.status).to.equal(200)
  })

  it('never looks at a body', async () => {
    const answer = await running.send({
      method: 'GET',
      path: PATH,
      body: '{ no JSON at all',
      headers: { 'content-type': 'text/plain' },
    })
    expect(answer.status).to.equal(200)
  })

  it('HEAD answers like GET, without the body', async () => {
    const get = await running.send({ method: 'GET', path: PATH })
    const head = await running.send({ method: 'HEAD', path: PATH })
    expect(head.status).to.equal(200)
    expect(head.body).to.equal(undefined)
    expect(lastingHeaders(head)).to.deep.equal(lastingHeaders(get))
  })
})
