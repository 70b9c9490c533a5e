import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const JWKS = '/.well-known/jwks.json'
const PUBLISHED = [
  JWKS,
  '/.well-known/paseto-keys.json',
  '/.well-known/user-jwks.json',
  '/.well-known/openid-jwks.json',
  '/.well-known/oauth-authorization-server',
]
const MAX_AGE_SECONDS = 60
const CACHEABLE = `public, max-age=${MAX_AGE_SECONDS}, must-revalidate`

describe('a published document', () => {
  let running: RunningService
  before(async () => {
    running = await startService({ OPENID: 'on', ACCOUNT_PAGES: 'on' })
  })
  after(() => running.stop())

  for (const path of PUBLISHED) {
    const get = (headers = {}, method = 'GET') => running.send({ method, path, headers })

    it(`may be cached for a minute and has an ETag: ${path}`, async () => {
      const { headers } = await get()
      expect(headers['cache-control']).to.equal(CACHEABLE)
      expect(headers.etag).to.match(/^"[\w-]{43}"$/)
      expect((await get()).headers.etag).to.equal(headers.etag)
    })

    it(`needs no token, ignores a token and a body, and answers HEAD like GET: ${path}`, async () => {
      const body = { token: 'nonsense', body: '{ no JSON at all', headers: { 'content-type': 'text/plain' } }
      expect((await running.send({ method: 'GET', path, ...body })).status).to.equal(200)
      const head = await get({}, 'HEAD')
      expect([head.status, head.body]).to.deep.equal([200, undefined])
      expect(lastingHeaders(head)).to.deep.equal(lastingHeaders(await get()))
    })

    it(`is 304 without a body for a matching ETag, for GET and HEAD: ${path}`, async () => {
      const { etag = '' } = (await get()).headers
      const known = [etag, `W/${etag}`, `"x", ${etag}`, `${etag},W/"y"`, ' * ', '*']
      for (const method of ['GET', 'HEAD']) {
        for (const tags of known) {
          const answer = await get({ 'if-none-match': tags }, method)
          expect([answer.status, answer.body], `${tags}`).to.deep.equal([304, undefined])
          expect(lastingHeaders(answer)).to.deep.equal({
            ...(path.includes('openid') && { 'access-control-allow-origin': '*' }),
            'cache-control': CACHEABLE,
            etag,
            'x-content-type-options': 'nosniff',
          })
        }
      }
    })

    it(`is 200 for another ETag or another condition: ${path}`, async () => {
      const { etag } = (await get()).headers
      const bare = String(etag).slice(1, -1)
      for (const tags of ['', '"x"', bare, `w/${etag}`, `'${bare}'`, `"${bare}x"`, `W/*`, '**'])
        expect((await get({ 'if-none-match': tags })).status, tags).to.equal(200)
      expect(
        (await get({ 'if-match': '"x"', 'if-modified-since': new Date().toUTCString() })).status,
      ).to.equal(200)
    })

    it(`is not cacheable when the method is refused: ${path}`, async () => {
      const { headers } = await get({ 'if-none-match': '*' }, 'POST')
      expect(headers).to.include({ 'cache-control': 'no-store' }).and.not.have.any.keys('etag')
    })
  }

  it('is the only cacheable response: a profile ignores If-None-Match', async () => {
    const token = await running.userToken()
    const headers = { 'if-none-match': '*' }
    const answer = await running.send({ method: 'GET', path: '/api/v1/profile', token, headers })
    expect(answer.status).to.equal(200)
    expect(answer.headers).to.include({ 'cache-control': 'no-store' }).and.not.have.any.keys('etag')
  })
})
