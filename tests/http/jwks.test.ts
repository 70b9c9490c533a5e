import { expect } from 'chai'
import { calculateJwkThumbprint } from 'jose'
import { onEveryStore } from '../support/every-store.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/.well-known/jwks.json'

onEveryStore('GET /.well-known/jwks.json', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  it('shows the public half of the key of application tokens, and of no other', async () => {
    const created = await succeed(
      running.service.store.readEvents({ after: 0, limit: 10, type: 'SigningKeyCreated' }),
    )
    const [applicationKey] = created.filter(
      ({ type, data }) => type === 'SigningKeyCreated' && 'purpose' in data && data.purpose === 'application',
    )
    const answer = await running.send({ method: 'GET', path: PATH })
    const x = answer.body.keys[0].x
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal({
      keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid: applicationKey?.subject.id, use: 'sig', alg: 'EdDSA' }],
    })
    expect(Buffer.from(x, 'base64url')).to.have.length(32)
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'public, max-age=60, must-revalidate',
      'content-length': String(JSON.stringify(answer.body).length),
      'content-type': 'application/json; charset=utf-8',
      etag: answer.headers.etag,
      'x-content-type-options': 'nosniff',
    })
  })

  it('names the key by its thumbprint of RFC 7638', async () => {
    const [key] = (await running.send({ method: 'GET', path: PATH })).body.keys
    expect(key.kid).to.equal(await calculateJwkThumbprint(key, 'sha256'))
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
