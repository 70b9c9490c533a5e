import { expect } from 'chai'
import { introspection } from '../support/introspection.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'

onMemory('the scopes of an application that change', (stores) => {
  let running: RunningService
  let gate: string
  before(async () => {
    running = await startService(await stores.fresh())
    gate = await scopedToken(running, 'tokens:introspect')
  })
  after(() => running.stop())

  const made = async (scope: string) => {
    const { service } = running
    const application = await succeed(service.registerApplication(CONTEXT, { name: 'shop', scope }))
    const { id } = application.application
    return {
      id,
      newToken: async () => (await succeed(service.issueApplicationToken(CONTEXT, application))).token,
      set: (now: string) => succeed(service.setApplication(CONTEXT, id, { scope: now })),
    }
  }
  const statusOf = async (path: string, token: string) =>
    (await running.send({ method: 'POST', path, token, body: {} })).status
  const SIGN_IN = '/api/v1/auth/user/token'
  const REGISTER = '/api/v1/users'
  const scopeOf = async (token: string) => (await introspection(running, gate, { token })).body.scope

  it('end what earlier tokens permit, at once', async () => {
    const shop = await made('users:sign_in users:register')
    const token = await shop.newToken()
    expect([await statusOf(SIGN_IN, token), await statusOf(REGISTER, token)]).to.deep.equal([422, 422])
    await shop.set('users:sign_in')
    expect([await statusOf(SIGN_IN, token), await statusOf(REGISTER, token)]).to.deep.equal([422, 403])
    expect(await scopeOf(token)).to.equal('users:sign_in')
    const { headers } = await running.send({ method: 'POST', path: REGISTER, token, body: {} })
    expect(headers['www-authenticate']).to.include('error="insufficient_scope"')
  })

  it('permit more only for tokens that are issued later', async () => {
    const shop = await made('users:sign_in')
    const before = await shop.newToken()
    await shop.set('users:sign_in users:register')
    const later = await shop.newToken()
    expect([await statusOf(REGISTER, before), await statusOf(REGISTER, later)]).to.deep.equal([403, 422])
    expect([await scopeOf(before), await scopeOf(later)]).to.deep.equal([
      'users:sign_in',
      'users:sign_in users:register',
    ])
  })

  it('work again for earlier tokens when the application gets them back', async () => {
    const shop = await made('users:sign_in users:register')
    const token = await shop.newToken()
    await shop.set('users:sign_in')
    await shop.set('users:register')
    expect([await statusOf(SIGN_IN, token), await statusOf(REGISTER, token)]).to.deep.equal([403, 422])
  })

  it('leave a valid token that permits nothing when the application has none of its scopes', async () => {
    const shop = await made('users:register')
    const token = await shop.newToken()
    await shop.set('users:read')
    expect(await statusOf(REGISTER, token)).to.equal(403)
    const { body } = await introspection(running, gate, { token })
    expect(body).to.include({ active: true, client_id: shop.id, scope: '' })
  })

  it('end introspection by the token of a gateway that lost its scope', async () => {
    const shop = await made('tokens:introspect users:sign_in')
    const token = await shop.newToken()
    expect((await introspection(running, token, { token })).status).to.equal(200)
    await shop.set('users:sign_in')
    expect((await introspection(running, token, { token })).status).to.equal(403)
  })

  it('leave the sessions of users alone', async () => {
    const shop = await made('users:sign_in')
    const { email, password } = running.user
    const { body } = await running.send({
      method: 'POST',
      path: SIGN_IN,
      token: await shop.newToken(),
      body: { email, password },
    })
    await shop.set('users:read')
    const { status } = await running.send({ method: 'GET', path: '/api/v1/profile', token: body.token })
    expect(status).to.equal(200)
  })
})
