import { expect } from 'chai'
import { eventsOf } from '../support/events.ts'
import { eventually } from '../support/eventually.ts'
import { factorDesk } from '../support/factor-desk.ts'
import { onMemory } from '../support/one-store.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { refused, SECOND_STEP, verdict } from '../support/second-factor-service.ts'
import { claimsOf } from '../support/token-claims.ts'
import { wholeLog } from '../testkit/outcome.ts'
import { COMPLETE, type IdentityDesk, START, startIdentityDesk } from './identity-desk.ts'

const REDIRECT = 'https://shop.example/back'

onMemory('a sign-in with an identity', (stores) => {
  let desk: IdentityDesk
  before(async () => {
    desk = await startIdentityDesk(stores)
  })
  after(async () => {
    await desk.expectAgreement()
    await desk.stop()
  })

  let subjects = 0
  const nobody = () => {
    subjects += 1
    return { id: subjects, email: `new${subjects}@lovelace.example` }
  }
  const reasons = async (count: number) =>
    eventually(`${count} refusals`, async () => {
      const found = await desk.data('IdentityRefused')
      return found.length >= count ? found : undefined
    })
  const factors = () => factorDesk(desk.running, () => desk.time.now)

  it('makes a new user without a password, whose e-mail is verified, and signs it in again', async () => {
    const person = nobody()
    const first = await desk.signInAs(person)
    expect(first.status).to.equal(200)
    const { token, user_id: id, ...rest } = first.body
    expect(rest).to.deep.equal({
      expires_in: 43_200,
      email_verified: true,
      acr: 'aal1',
      amr: ['fed'],
      roles: [],
      session_expires_in: 43_200,
      is_new: true,
    })
    expect(claimsOf(token)).to.deep.include({ amr: ['fed'], acr: 'aal1', sub: id })
    const again = await desk.signInAs({ ...person, email: 'changed@lovelace.example' })
    expect(again.body).to.include({ user_id: id, is_new: false })
    const listed = await desk.list(token)
    expect(listed.map(({ kind, name }) => [kind, name])).to.deep.equal([['identity', 'Google']])
    const types = (await wholeLog(desk.store))
      .filter(({ subject }) => subject.id === id)
      .map(({ type }) => type)
    expect(types).to.deep.equal([
      'UserRegistered',
      'FactorImported',
      'UserSignedIn',
      'FactorUsed',
      'UserSignedIn',
    ])
    const password = await desk.post('/api/v1/auth/user/token', desk.shop, {
      email: person.email,
      password: 'correct horse',
    })
    expect(verdict(password)).to.deep.equal(refused(3))
  })

  it('registers only for an application that may', async () => {
    const token = await desk.another('users:sign_in')
    expect(verdict(await desk.signInAs(nobody(), { token }))).to.deep.equal(refused(11))
  })

  it('links an identity to the user whose e-mail both sides have verified, and ends all other sessions', async () => {
    const user = await desk.register()
    const earlier = await desk.withPassword(user)
    const { status, body } = await desk.signInAs({ id: 1_000, email: user.email.toUpperCase() })
    expect([status, body.user_id, body.is_new]).to.deep.equal([200, user.id, false])
    const profile = (token: string) => desk.running.send({ method: 'GET', path: '/api/v1/profile', token })
    expect((await profile(earlier)).status).to.equal(401)
    expect((await profile(body.token)).status).to.equal(200)
    expect(await desk.withPassword(user)).to.be.a('string') // the password stays
  })

  it('refuses what could be another person, with its code and its reason in the log', async () => {
    const before = (await desk.data('IdentityRefused')).length
    const unverified = await desk.register({ emailVerified: false })
    const withApp = await desk.register()
    const { answer: enrolled } = await factors().enrol(await desk.withPassword(withApp))
    expect(enrolled.status).to.equal(201)
    const disabled = await desk.register()
    const manager = await scopedToken(desk.running, 'users:manage')
    await desk.post('/api/v1/users/disable', manager, { user_id: disabled.id })
    const linked = await desk.register()
    expect((await desk.signInAs({ id: 2_000, email: linked.email })).status).to.equal(200)
    const rows = [
      [{ id: 2_001, email: unverified.email }, 6, 'link_first'],
      [{ id: 2_002, email: withApp.email }, 6, 'link_first'],
      [{ id: 2_003, email: disabled.email }, 7, 'user_disabled'],
      [{ id: 2_004, email: linked.email }, 6, 'link_first'],
      [{ id: 2_005, email: 'Ünïcode@lovelace.example' }, 5, 'email_not_vouched_for'],
      [{ id: 2_006, email: linked.email, isVerified: false }, 5, 'email_not_vouched_for'],
      [{ id: 2_007 }, 5, 'email_not_vouched_for'],
    ] as const
    for (const [person, code] of rows)
      expect([person.id, verdict(await desk.signInAs(person))]).to.deep.equal([person.id, refused(code)])
    const noted = (await reasons(before + rows.length)).slice(before)
    expect(noted).to.deep.equal(rows.map(([, , reason]) => ({ provider: 'google', reason })))
  })

  it('answers one code for every answer that the provider refuses, and says why in the log', async () => {
    const before = (await desk.data('IdentityRefused')).length
    const one = await desk.proved(nobody())
    const other = await desk.proved(nobody())
    const started = await desk.post(START, desk.shop, { provider: 'google', redirect_uri: REDIRECT })
    const no = desk.google.refuse(started.body.url, 'access_denied')
    for (const [sent, reason] of [
      [{ ...one, answer: other.answer }, 'wrong_state'],
      [{ ...one, answer: one.answer.replace(/iss=[^&]*/, 'iss=https://evil.example') }, 'wrong_issuer'],
      [{ ...one, answer: 'code=1' }, 'malformed_answer'],
      [{ ...one, answer: one.answer.replace(/code=[^&]*/, 'code=guessed') }, 'provider_error'],
      [{ transaction: started.body.transaction, answer: no }, 'access_denied'],
    ] as const) {
      const { status, body } = await desk.post(COMPLETE, desk.shop, sent)
      expect([reason, status, body.errors]).to.deep.equal([
        reason,
        422,
        [{ code: 4, param: 'answer', message: 'The sign-in at the provider did not succeed. Start again.' }],
      ])
      expect((await reasons(before + 1)).some((data) => data.reason === reason)).to.equal(true)
    }
  })

  it('completes a transaction once, in its application, within ten minutes', async () => {
    const sent = await desk.proved(nobody())
    const elsewhere = await desk.another('users:sign_in users:register')
    expect(verdict(await desk.post(COMPLETE, elsewhere, sent))).to.deep.equal(refused(3))
    expect((await desk.post(COMPLETE, desk.shop, sent)).status).to.equal(200)
    expect(verdict(await desk.post(COMPLETE, desk.shop, sent))).to.deep.equal(refused(4))
    const late = await desk.proved(nobody())
    desk.passSeconds(601)
    expect(verdict(await desk.post(COMPLETE, desk.shop, late))).to.deep.equal(refused(3))
    expect(verdict(await desk.post(COMPLETE, desk.shop, { label: 'a\nb' }))).to.deep.equal(refused(3, 4, 13))
  })

  it('starts only at a provider of the service, and comes back only to the application', async () => {
    for (const [body, ...codes] of [
      [{}, 1, 2],
      [{ provider: 'Google', redirect_uri: REDIRECT }, 1],
      [{ provider: 'google', redirect_uri: `${REDIRECT}?x=1` }, 2],
      [{ provider: ['google'], redirect_uri: 7 }, 1, 2],
    ] as const)
      expect(verdict(await desk.post(START, desk.shop, body))).to.deep.equal(refused(...codes))
  })

  it('is refused while the provider does not answer, and goes on when it does', async () => {
    const sent = await desk.proved(nobody())
    desk.google.beAway(true)
    const { status, body } = await desk.post(COMPLETE, desk.shop, sent)
    expect([status, body.outcome]).to.deep.equal([503, 'none'])
    expect(
      (await desk.post(START, desk.shop, { provider: 'google', redirect_uri: REDIRECT })).status,
    ).to.equal(503)
    desk.google.beAway(false)
    expect((await desk.post(COMPLETE, desk.shop, sent)).status).to.equal(200)
  })

  it('asks for a second factor as after a password, and keeps how it began', async () => {
    const user = await desk.register()
    const token = await desk.withPassword(user)
    expect((await desk.link({ id: 3_000 }, token, desk.github)).status).to.equal(201)
    const fresh = await desk.withPassword(user)
    const { answer: enrolled } = await factors().enrol(fresh)
    const due = await desk.signInAs({ id: 3_000 }, { provider: desk.github })
    expect(verdict(due)).to.deep.equal(refused(8))
    expect(due.body.second_factor.methods).to.deep.equal(['totp', 'recovery_code'])
    const done = await desk.post(SECOND_STEP, desk.shop, {
      token: due.body.second_factor.token,
      recovery_code: enrolled.body.recovery_codes[0],
    })
    expect([done.status, done.body.acr, done.body.amr]).to.deep.equal([
      200,
      'aal2',
      ['fed', 'recovery_code', 'mfa'],
    ])
  })

  it('is refused where an application requires a second factor, and changes nothing then', async () => {
    const registered = async () => (await eventsOf(desk.store, 'UserRegistered')).length
    const strict = await desk.another('users:sign_in users:register', [REDIRECT], {
      requireAal2: true,
    })
    const before = await registered()
    expect(verdict(await desk.signInAs(nobody(), { token: strict }))).to.deep.equal(refused(12))
    expect(await registered()).to.equal(before)
  })

  it('makes as many new users an hour as the registrations of a network may be', async () => {
    const limited = await startIdentityDesk(stores, { THROTTLE_REGISTRATIONS: '2' })
    const signIn = async (id: number, address: string) => {
      const sent = await limited.proved({ id, email: `new${id}@lovelace.example` })
      return (await limited.post(COMPLETE, limited.shop, sent, { 'X-End-User-Address': address })).status
    }
    const statuses: Array<number> = []
    for (const id of [1, 2, 3, 1]) statuses.push(await signIn(id, '203.0.113.7'))
    expect([...statuses, await signIn(3, '203.0.113.8')]).to.deep.equal([200, 200, 429, 200, 200])
    await limited.stop()
  })
})
