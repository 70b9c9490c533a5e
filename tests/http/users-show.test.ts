import { expect } from 'chai'
import { codesOf, factorService } from '../support/factor-service.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { scopedToken } from '../support/scoped-token.ts'

onMemory('POST /api/v1/users/show', (stores) => {
  const one = factorService(stores)

  const show = async (body: object) => {
    const token = await scopedToken(one.running(), 'users:read')
    return one.running().send({ method: 'POST', path: '/api/v1/users/show', token, body })
  }

  it('returns the fields of a search, the factors without their secrets, and the live sessions', async () => {
    const { user, token } = await one.newUser()
    const { answer } = await one.desk().enrol(token)
    one.passSeconds(1)
    const { status, body } = await show({ email: user.email.toUpperCase() })
    expect(status).to.equal(200)
    const { factors, sessions, created_at, ...fields } = body
    expect(fields).to.deep.equal({
      id: user.id,
      email: user.email,
      email_verified: true,
      status: 'enabled',
      has_password: true,
      roles: [],
    })
    expect(created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    expect(factors).to.have.lengthOf(1)
    const { created_at: enrolledAt, ...factor } = factors[0]
    expect(factor).to.deep.equal({
      id: answer.body.id,
      kind: 'totp',
      name: 'Authenticator app',
      used_at: null,
    })
    expect(Date.parse(enrolledAt)).to.be.greaterThan(0)
    const listed = await one
      .running()
      .send({ method: 'GET', path: '/api/v1/profile/sessions', token: answer.body.token })
    const ofUser = listed.body.sessions.map(({ current: _, ...session }: { current: boolean }) => session)
    expect(sessions).to.deep.equal(ofUser)
    expect(await show({ user_id: user.id })).to.deep.include({ status: 200, body })
  })

  it('returns the attributes that are set, and the roles, as the profile does', async () => {
    const { user, token } = await one.newUser()
    const editor = await scopedToken(one.running(), 'users:attributes users:roles')
    const post = (path: string, body: object) =>
      one.running().send({
        method: 'POST',
        path: `/api/v1/users/${path}`,
        token: editor,
        body: { user_id: user.id, ...body },
      })
    const attributes = { name: 'Ada', locale: 'de-CH', metadata: { size: 38 } }
    const given = { ...attributes, roles: ['editor', 'shop:admin'] }
    await post('attributes', { ...attributes, picture: '' })
    await post('roles', { add: given.roles })
    const { body: shown } = await show({ user_id: user.id })
    expect(shown).to.deep.include(given)
    expect(shown).to.not.have.any.keys('given_name', 'family_name', 'picture', 'zoneinfo')
    const profile = await one.running().send({ method: 'GET', path: '/api/v1/profile', token })
    expect(profile.body).to.deep.include(given)
    await post('attributes', { name: null, locale: null, metadata: null })
    await post('roles', { remove: given.roles })
    const { body: bare } = await show({ email: user.email })
    expect(bare).to.not.have.any.keys('name', 'locale', 'metadata')
    expect(bare.roles).to.deep.equal([])
  })

  it('shows the newest session first, and none that has ended', async () => {
    const { user, token } = await one.newUser()
    const ended = await one.running().userToken(user)
    await one.running().send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: ended })
    one.passSeconds(5)
    await one.running().userToken({ ...user, label: 'phone' })
    const { sessions } = (await show({ user_id: user.id })).body
    expect(sessions.map(({ label }: { label: string | null }) => label)).to.deep.equal(['phone', null])
    expect(await one.status(token)).to.equal(200)
    await succeed(one.running().service.disableUser(CONTEXT, user.id))
    expect((await show({ user_id: user.id })).body).to.include({ status: 'disabled' })
    expect((await show({ user_id: user.id })).body.sessions).to.deep.equal([])
  })

  it('has these codes', async () => {
    const { user } = await one.newUser()
    const both = { user_id: user.id, email: user.email }
    await succeed(one.running().service.removeUser(CONTEXT, user.id))
    for (const [body, code, param] of [
      [{}, 1, 'user_id'],
      [{ user_id: 7, email: '' }, 1, 'user_id'],
      [both, 1, 'user_id'],
      [{ user_id: 'nobody' }, 2, 'user_id'],
      [{ user_id: user.id }, 2, 'user_id'],
      [{ email: user.email }, 3, 'email'],
      [{ email: user.id }, 3, 'email'],
      [{ email: 'no address' }, 3, 'email'],
    ] as const) {
      const answer = await show(body)
      expect([answer.status, codesOf(answer.body)], JSON.stringify(body)).to.deep.equal([
        422,
        [[code, param]],
      ])
    }
  })

  it('and searches refuse all tokens without users:read', async () => {
    const { user, token } = await one.newUser()
    const others = await scopedToken(one.running(), 'users:sign_in users:register users:manage events:read')
    for (const [path, body] of [
      ['/api/v1/users/show', { user_id: user.id }],
      ['/api/v1/users/search', { email_prefix: 'verified' }],
    ] as const)
      for (const wrong of [token, others])
        expect((await one.running().send({ method: 'POST', path, token: wrong, body })).status).to.equal(403)
  })
})
