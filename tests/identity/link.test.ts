import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { factorDesk } from '../support/factor-desk.ts'
import { onMemory } from '../support/one-store.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { refused, verdict } from '../support/second-factor-service.ts'
import { claimsOf } from '../support/token-claims.ts'
import { BACK, type IdentityDesk, LINK, REMOVE, STEP_UP, startIdentityDesk } from './identity-desk.ts'

onMemory('the link of an identity', (stores) => {
  let desk: IdentityDesk
  before(async () => {
    desk = await startIdentityDesk(stores)
  })
  after(async () => {
    await desk.expectAgreement()
    await desk.stop()
  })

  let subjects = 0
  const subject = () => {
    subjects += 1
    return subjects
  }
  const profile = (token: string) => desk.running.send({ method: 'GET', path: '/api/v1/profile', token })
  const factors = () => factorDesk(desk.running, () => desk.time.now)
  const startStepUp = (token: string, provider = 'google') =>
    desk.post(`${STEP_UP}/identity`, token, { provider, redirect_uri: BACK })
  /** A user who signs in with Google only. */
  const withoutPassword = async () => {
    const id = subject()
    const person = { id, email: `only${id}@lovelace.example` }
    const { body } = await desk.signInAs(person)
    return { person, id: body.user_id as string, token: body.token as string }
  }

  it('needs no e-mail from the provider, ends all other sessions, and leaves this one as fresh as it was', async () => {
    const user = await desk.register()
    const [other, own] = [await desk.withPassword(user), await desk.withPassword(user)]
    desk.passSeconds(300)
    const person = { id: subject() }
    const { status, body } = await desk.link(person, own)
    expect(status).to.equal(201)
    const { id, token, ...rest } = body
    expect(rest).to.deep.equal({
      name: 'Google',
      expires_in: 42_900,
      acr: 'aal1',
      amr: ['pwd'],
      roles: [],
    })
    expect(claimsOf(token)).to.have.property('auth_time', claimsOf(own).auth_time)
    expect([(await profile(other)).status, (await profile(token)).status]).to.deep.equal([401, 200])
    expect((await desk.list(token)).map((one) => [one.id, one.kind])).to.deep.equal([[id, 'identity']])
    expect((await desk.signInAs(person)).body.user_id).to.equal(user.id)
  })

  it('needs an authentication that is fresh, and that the service itself has seen', async () => {
    const user = await desk.register()
    const token = await desk.withPassword(user)
    const voucher = await scopedToken(desk.running, 'users:vouch users:register')
    const { body: made } = await desk.post('/api/v1/users', voucher, {
      email: 'vouched@lovelace.example',
      without_password: true,
      email_verified: true,
    })
    const vouched = await desk.post('/api/v1/auth/user/vouched', voucher, { user_id: made.id, method: 'fed' })
    desk.passSeconds(601)
    for (const [stale, header] of [
      [token, /insufficient_user_authentication/],
      [vouched.body.token, /insufficient_user_authentication/],
    ] as const) {
      const { status, headers } = await desk.post(LINK, stale, { provider: 'google', redirect_uri: BACK })
      expect(status).to.equal(401)
      expect(headers['www-authenticate']).to.match(header)
    }
  })

  it('is refused to a user without a confirmed e-mail, and of an identity that somebody has', async () => {
    const unverified = await desk.withPassword(await desk.register({ emailVerified: false }))
    expect(
      verdict(await desk.post(LINK, unverified, { provider: 'google', redirect_uri: BACK })),
    ).to.deep.equal(refused(10))
    const { person } = await withoutPassword()
    const own = await desk.withPassword(await desk.register())
    expect(verdict(await desk.link(person, own))).to.deep.equal(refused(9))
  })

  it('opens for no other session, and not after a change of the password', async () => {
    const user = await desk.register()
    const [one, two] = [await desk.withPassword(user), await desk.withPassword(user)]
    const sent = await desk.proved({ id: subject() }, { token: one, path: LINK })
    expect(verdict(await desk.post(`${LINK}/complete`, two, sent))).to.deep.equal(refused(3))
    expect(verdict(await desk.post('/api/v1/auth/user/identity/complete', desk.shop, sent))).to.deep.equal(
      refused(3),
    )
    expect(verdict(await desk.post(`${LINK}/complete`, one, {}))).to.deep.equal(refused(3, 4))
  })

  it('is no first factor for a voucher, so a stolen key of an application leaves no foothold', async () => {
    const { id } = await withoutPassword()
    const voucher = await scopedToken(desk.running, 'users:vouch')
    const { body } = await desk.post('/api/v1/auth/user/vouched', voucher, { user_id: id, method: 'fed' })
    const { status, headers } = await factors().start(body.token)
    expect(status).to.equal(401)
    expect(headers['www-authenticate']).to.match(/insufficient_user_authentication/)
  })

  it('gets away with its removal, and does not come back by itself', async () => {
    const user = await desk.register()
    const person = { id: subject(), email: user.email }
    const { body } = await desk.signInAs(person)
    const [linked] = await desk.list(body.token)
    const removed = await desk.post(REMOVE, body.token, { factor_id: linked?.id })
    expect(removed.status).to.equal(200)
    expect(verdict(await desk.signInAs(person))).to.deep.equal(refused(6))
    const again = await desk.link(person, await desk.withPassword(user))
    expect([again.status, again.body.id]).to.deep.equal([201, linked?.id])
    expect((await desk.signInAs(person)).body.user_id).to.equal(user.id)
  })

  it('stays when the last second factor goes, and when an operator resets the factors', async () => {
    const user = await desk.register()
    const person = { id: subject() }
    await desk.link(person, await desk.withPassword(user))
    const enrolled = await factors().enrol(await desk.withPassword(user))
    const removed = await desk.post(REMOVE, enrolled.answer.body.token, {
      factor_id: enrolled.answer.body.id,
    })
    expect(removed.status).to.equal(200)
    const { body } = await desk.signInAs(person)
    expect(body.user_id).to.equal(user.id)
    const reset = await scopedToken(desk.running, 'users:reset_factors')
    expect((await desk.post('/api/v1/users/reset_factors', reset, { user_id: user.id })).status).to.equal(200)
    expect((await desk.signInAs(person)).body.user_id).to.equal(user.id)
  })

  it('is free again after its user is removed: a new user, never the old id', async () => {
    const { id, person, token } = await withoutPassword()
    expect((await desk.post('/api/v1/profile/remove', token, {})).status).to.equal(200)
    const { status, body } = await desk.signInAs(person)
    expect([status, body.is_new]).to.deep.equal([200, true])
    expect(body.user_id).to.not.equal(id)
  })

  it('cannot go as the last way into an account without a password', async () => {
    const { person, token } = await withoutPassword()
    const [only] = await desk.list(token)
    const remove = (id: string | undefined, by: string) => desk.post(REMOVE, by, { factor_id: id })
    expect(verdict(await remove(only?.id, token))).to.deep.equal(refused(3))
    const { body } = await desk.link({ id: subject() }, token, desk.github)
    expect((await remove(only?.id, body.token)).status).to.equal(200)
    expect(verdict(await remove(body.id, body.token))).to.deep.equal(refused(3))
    expect(verdict(await desk.signInAs(person))).to.deep.equal(refused(6))
  })

  it('steps a session up with a sign-in at the provider that is new', async () => {
    const { person, token } = await withoutPassword()
    desk.passSeconds(700)
    expect((await desk.post(LINK, token, { provider: 'google', redirect_uri: BACK })).status).to.equal(401)
    const { body: started } = await startStepUp(token)
    desk.passSeconds(20)
    const sent = { transaction: started.transaction, answer: desk.google.signIn(started.url, person) }
    const { status, body } = await desk.post(STEP_UP, token, sent)
    expect([status, body.amr]).to.deep.equal([200, ['fed']])
    expect(claimsOf(body.token).auth_time).to.equal(Math.floor(desk.time.now / 1000))
    expect((await desk.post(LINK, body.token, { provider: 'google', redirect_uri: BACK })).status).to.equal(
      200,
    )
    expect(verdict(await desk.post(STEP_UP, token, sent))).to.deep.equal(refused(7))
  })

  it('steps no session up with the identity of somebody else, or beside another proof', async () => {
    const { token } = await withoutPassword()
    const stranger = await withoutPassword()
    const { body: started } = await startStepUp(token)
    const sent = {
      transaction: started.transaction,
      answer: desk.google.signIn(started.url, stranger.person),
    }
    expect(verdict(await desk.post(STEP_UP, token, { ...sent, password: 'correct horse' }))).to.deep.equal(
      refused(1),
    )
    expect(verdict(await desk.post(STEP_UP, token, sent))).to.deep.equal(refused(7))
    expect(verdict(await desk.post(STEP_UP, token, { answer: '?code=1' }))).to.deep.equal(refused(7))
  })

  it('steps no session up while a second factor is due', async () => {
    const user = await desk.register()
    const person = { id: subject() }
    await desk.link(person, await desk.withPassword(user))
    const { answer } = await factors().enrol(await desk.withPassword(user))
    const { body: started } = await startStepUp(answer.body.token)
    const sent = { transaction: started.transaction, answer: desk.google.signIn(started.url, person) }
    expect(verdict(await desk.post(STEP_UP, answer.body.token, sent))).to.deep.equal(refused(8))
  })

  it('is tried thirty times an hour in a session, together with step-ups, for each try asks the provider', async () => {
    const user = await desk.register()
    const token = await desk.withPassword(user)
    const link = await desk.proved({ id: subject() }, { token, path: LINK })
    const { body: started } = await startStepUp(token)
    const wrong = (answer: string) => answer.replace(/code=[^&]*/, 'code=guessed')
    const stepUp = {
      transaction: started.transaction,
      answer: wrong(desk.google.signIn(started.url, { id: 1 })),
    }
    for (let tries = 0; tries < 15; tries += 1) {
      const refusal = await desk.post(`${LINK}/complete`, token, { ...link, answer: wrong(link.answer) })
      expect(verdict(refusal)).to.deep.equal(refused(4))
      expect(verdict(await desk.post(STEP_UP, token, stepUp))).to.deep.equal(refused(7))
    }
    expect((await desk.post(`${LINK}/complete`, token, link)).status).to.equal(429)
    expect((await desk.post(STEP_UP, token, stepUp)).status).to.equal(429)
    const other = await desk.withPassword(user)
    expect((await desk.link({ id: subject() }, other)).status).to.equal(201)
  })

  it('is recorded with what follows from it', async () => {
    const enrolled = await eventsOf(desk.store, 'FactorEnrolled')
    const kinds = enrolled.map(({ data }) => (data as { kind: string }).kind)
    expect(kinds).to.include('identity')
    const text = JSON.stringify(await eventsOf(desk.store, 'IdentityRefused'))
    expect(text).to.not.match(/code-\d|state|@lovelace/)
  })
})
