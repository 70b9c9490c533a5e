import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import type { StoreUnavailable } from '../../application/ports/store.ts'
import { introspection } from '../support/introspection.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { oauthUnavailable } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { PUBLIC_URL } from '../support/settings.ts'
import { claimsOf } from '../support/token-claims.ts'
import { withService } from '../support/with-service.ts'

onMemory('POST /oauth2/introspect', (stores) => {
  let running: RunningService
  let gate: string
  before(async () => {
    running = await startService(await stores.fresh())
    gate = await scopedToken(running, 'tokens:introspect')
  })
  after(() => running.stop())

  const ask = async (token: string) => {
    const answer = await introspection(running, gate, { token })
    expect(answer.status).to.equal(200)
    return answer.body
  }

  it('returns the claims of a user token and the e-mail of the user', async () => {
    const token = await running.userToken()
    const body = await ask(token)
    expect(body).to.deep.equal({
      active: true,
      token_type: 'Bearer',
      kind: 'user',
      ...claimsOf(token),
      client_id: running.keys.public_api_key.slice('pk_'.length),
      username: 'Ada@Example.com',
    })
    expect(body).to.include({ iss: PUBLIC_URL, sub: running.user.id })
    expect(body.exp - body.iat, 'seconds').to.equal(43_200)
  })

  it('returns the claims and the scope of an application token', async () => {
    const token = await running.applicationToken()
    const body = await ask(token)
    expect(body).to.deep.equal({
      active: true,
      token_type: 'Bearer',
      kind: 'application',
      ...claimsOf(token),
    })
    expect(body).to.include({ iss: PUBLIC_URL, aud: PUBLIC_URL, scope: 'users:sign_in users:register' })
    expect(body.client_id).to.equal(body.sub)
    expect(body.exp - body.iat, 'seconds').to.equal(3_600)
  })

  it('returns only active: false for an invalid token, regardless of the reason', async () => {
    const ended = await running.userToken()
    await running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: ended })
    for (const token of [ended, 'nonsense', running.keys.private_api_key, ' ', '\0', '🛒'])
      expect(await ask(token)).to.deep.equal({ active: false })
  })

  it('returns the same headers as other responses, for valid and invalid tokens', async () => {
    for (const token of [gate, 'nonsense']) {
      const answer = await introspection(running, gate, { token })
      expect(lastingHeaders(answer)).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': String(Buffer.byteLength(JSON.stringify(answer.body))),
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
      })
    }
  })

  it('returns 503 with Retry-After while the store is unavailable, and does not call the token inactive', async () => {
    const away = left<StoreUnavailable>({ _tag: 'StoreUnavailable', reason: 'SQLITE_BUSY' })
    let isAway = false
    // Only session look-ups fail, so that the bearer token is still accepted.
    const modules = await stores.behind((store) => ({
      ...store,
      findSession: (id) => async () => (isAway ? away : store.findSession(id)()),
    }))
    const asked = async (of: RunningService) => {
      const bearer = await scopedToken(of, 'tokens:introspect')
      const token = await of.userToken()
      isAway = true
      const answer = await introspection(of, bearer, { token })
      expect(answer.status).to.equal(503)
      expect(answer.headers['retry-after']).to.equal('5')
      expect(answer.body).to.deep.equal(oauthUnavailable('The store is not available now.'))
    }
    await withService({}, asked, ...modules)
  })
})
