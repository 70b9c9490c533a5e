import { expect } from 'chai'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { pasetoUserTokens } from '../../adapters/credentials/paseto/user-tokens.ts'
import type { SecondFactorDue } from '../../application/sessions/await-second-factor.ts'
import { FACTOR_SETTINGS, totpAt } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { enrolUser } from '../support/second-factors.ts'
import { claimsOf } from '../support/token-claims.ts'
import { CONTEXT, NOW, newWorld, type World } from './world.ts'

const [TOKEN, IDLE, SESSION, REMEMBER] = [600, 8_000, 50_000, 100_000]
const START = Date.parse(NOW) / 1000
const LIFETIMES = {
  USER_TOKEN_TTL: `${TOKEN}`,
  SESSION_IDLE_TTL: `${IDLE}`,
  SESSION_TTL: `${SESSION}`,
  SESSION_REMEMBER_TTL: `${REMEMBER}`,
}
const UNUSABLE = { _tag: 'Invalid', problems: ['TokenUnusable'] }

describe('sessions that live longer than their tokens', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld({ environment: { ...FACTOR_SETTINGS, ...LIFETIMES } })
  })

  const signIn = (remember?: boolean) =>
    succeed(world.service.signIn(CONTEXT, world.caller, { ...world.ada, ...(remember && { remember }) }))
  /** The application token of the world may have expired. The use cases do not look at it. */
  const renew = (token: string) => world.service.renewSession(CONTEXT, world.caller, { token })
  const sessionOf = async (token: string) => {
    const found = await succeed(world.store.findSession(claimsOf(token).sid))
    if (!isSome(found)) throw new Error('the session does not exist')
    return found.value.session
  }
  const callerOf = (token: string) => succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
  const renewals = async () => (await world.events()).filter(({ type }) => type === 'SessionRenewed').length
  const setShop = (request: Parameters<World['service']['setApplication']>[2]) =>
    succeed(world.service.setApplication(CONTEXT, world.shop.application.id, request))
  afterEach(async () => {
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })

  it('live as long as the idle time of a sign-in, and their tokens as long as a token', async () => {
    const { token, expiresInSeconds, sessionExpiresInSeconds } = await signIn()
    expect([expiresInSeconds, sessionExpiresInSeconds]).to.deep.equal([TOKEN, IDLE])
    expect(await sessionOf(token)).to.include({
      expiresAtSeconds: START + IDLE,
      endsAtSeconds: START + SESSION,
      remembered: false,
    })
    expect(claimsOf(token).exp).to.equal(START + TOKEN)
    expect((await world.events()).at(-1)?.data).to.not.have.property('remembered')
  })

  it('are renewed by a token that has expired, until they expire', async () => {
    const { token } = await signIn()
    world.clock.passSeconds(IDLE - 1)
    await fail(world.service.authenticate(CONTEXT, 'getProfile', token))
    const renewed = await succeed(renew(token))
    expect(renewed).to.include({ expiresInSeconds: TOKEN, sessionExpiresInSeconds: IDLE })
    expect((await callerOf(renewed.token)).session.id).to.equal(claimsOf(token).sid)
    world.clock.passSeconds(IDLE + 5)
    for (const old of [token, renewed.token]) expect(await fail(renew(old))).to.deep.equal(UNUSABLE)
  })

  it('are renewed by no expired token once they have ended, or for another application', async () => {
    const { token } = await signIn()
    world.clock.passSeconds(TOKEN + 5)
    const other = { name: 'other', scope: 'users:sign_in' }
    const registered = await succeed(world.service.registerApplication(CONTEXT, other))
    const issued = await succeed(world.service.issueApplicationToken(CONTEXT, registered))
    const caller = await succeed(world.service.authenticate(CONTEXT, 'renewSession', issued.token))
    expect(await fail(world.service.renewSession(CONTEXT, caller, { token }))).to.deep.equal(UNUSABLE)
    const { token: fresh } = await signIn()
    await succeed(world.service.endOtherSessions(CONTEXT, await callerOf(fresh)))
    expect(await fail(renew(token))).to.deep.equal(UNUSABLE)
    expect(await renewals()).to.equal(0)
  })

  it('are renewed and ended by no token of another issuer, and by none from the future', async () => {
    world = await newWorld({ environment: LIFETIMES }) // with keys that the test can read
    const { signing, verifying } = (await world.keyring()).user
    const { token } = await signIn()
    const claims = await succeed(pasetoUserTokens().verify(token, verifying))
    for (const wrong of [{ iss: 'http://other.test' }, { iat: START + 6 }]) {
      const signed = await succeed(pasetoUserTokens().sign({ ...claims, ...wrong }, signing))
      expect(await fail(renew(signed))).to.deep.equal(UNUSABLE)
      await succeed(world.service.revokeToken(CONTEXT, world.shop.application.id, signed))
    }
    expect((await sessionOf(token)).signedOut).to.equal(false)
  })

  it('are written only by a renewal that moves their expiry by an eighth of the idle time', async () => {
    let { token } = await signIn()
    for (let renewed = 0; renewed < IDLE / TOKEN; renewed += 1) {
      world.clock.passSeconds(TOKEN)
      const answer = await succeed(renew(token))
      expect(answer.expiresInSeconds).to.equal(TOKEN)
      expect(answer.sessionExpiresInSeconds).to.be.within((IDLE * 7) / 8, IDLE)
      const { expiresAtSeconds } = await sessionOf(answer.token)
      expect(answer.sessionExpiresInSeconds).to.equal(expiresAtSeconds - claimsOf(answer.token).iat)
      token = answer.token
    }
    expect(await renewals(), 'every other one of 14').to.equal(7)
  })

  it('are not written by each renewal near their end', async () => {
    let { token } = await signIn()
    for (let passed = 0; passed < SESSION - TOKEN; passed += TOKEN) {
      world.clock.passSeconds(TOKEN)
      token = (await succeed(renew(token))).token
    }
    const before = await renewals()
    const { expiresAtSeconds, endsAtSeconds } = await sessionOf(token)
    expect(expiresAtSeconds).to.equal(endsAtSeconds)
    for (let minute = 0; minute < 3; minute += 1) {
      world.clock.passSeconds(61)
      token = (await succeed(renew(token))).token
    }
    expect(await renewals()).to.equal(before)
  })

  it('are ended by a revocation of their expired token, only by the application that opened them', async () => {
    const { token } = await signIn()
    world.clock.passSeconds(IDLE - 1)
    await succeed(world.service.revokeToken(CONTEXT, 'another application', token))
    expect((await sessionOf(token)).signedOut).to.equal(false)
    await succeed(world.service.revokeToken(CONTEXT, world.shop.application.id, token))
    expect((await sessionOf(token)).signedOut).to.equal(true)
    expect(await fail(renew(token))).to.deep.equal(UNUSABLE)
  })

  it('are remembered on request, which is listed and noted', async () => {
    const { token, expiresInSeconds, sessionExpiresInSeconds } = await signIn(true)
    expect([expiresInSeconds, sessionExpiresInSeconds]).to.deep.equal([TOKEN, REMEMBER])
    expect(await sessionOf(token)).to.include({
      expiresAtSeconds: START + REMEMBER,
      endsAtSeconds: START + REMEMBER,
      remembered: true,
    })
    expect((await world.events()).at(-1)?.data).to.include({ remembered: true })
    await signIn()
    const listed = await succeed(world.service.listSessions(await callerOf(token)))
    expect(listed.map(({ remembered }) => remembered)).to.deep.equal([false, true])
    world.clock.passSeconds(REMEMBER - 1)
    expect(await succeed(renew(token))).to.include({ expiresInSeconds: 1, sessionExpiresInSeconds: 1 })
    expect(await renewals(), 'its expiry is its end').to.equal(0)
  })

  it('are not remembered without a lifetime for that', async () => {
    const plain = await newWorld({ environment: { USER_TOKEN_TTL: '600' } })
    const request = { ...plain.ada, remember: true }
    const { token, sessionExpiresInSeconds } = await succeed(
      plain.service.signIn(CONTEXT, plain.caller, request),
    )
    expect(sessionExpiresInSeconds).to.equal(600)
    const found = await succeed(plain.store.findSession(claimsOf(token).sid))
    expect(isSome(found) && found.value.session.remembered).to.equal(false)
  })

  it('are remembered through the second step', async () => {
    const app = await enrolUser(world.store, world.ada.id)
    for (const remember of [true, false]) {
      world.clock.passSeconds(60)
      const request = { ...world.ada, remember }
      const due = (await fail(world.service.signIn(CONTEXT, world.caller, request))) as SecondFactorDue
      const totp = app.codeAt(world.clock.read())
      const completed = await succeed(
        world.service.completeSignIn(CONTEXT, world.caller, { token: due.token, totp }),
      )
      expect(completed.sessionExpiresInSeconds).to.equal(remember ? REMEMBER : IDLE)
      expect((await sessionOf(completed.token)).remembered).to.equal(remember)
    }
  })

  it('follow the lifetime for remembered sessions that the application has at the renewal', async () => {
    await setShop({ rememberTtl: 20_000 })
    const issued = await succeed(world.service.issueApplicationToken(CONTEXT, world.shop))
    const caller = await succeed(world.service.authenticate(CONTEXT, 'signIn', issued.token))
    const request = { ...world.ada, remember: true }
    const { token } = await succeed(world.service.signIn(CONTEXT, caller, request))
    await setShop({ rememberTtl: 40_000 })
    world.clock.passSeconds(10_000)
    expect(await succeed(renew(token)), 'to the end of the sign-in').to.include({
      sessionExpiresInSeconds: 10_000,
    })
  })

  it('become ordinary if the application remembers no more, and never shorter', async () => {
    const own = { name: 'own', scope: 'users:sign_in', rememberTtl: 90_000, idleTtl: 2_000 }
    const environment = { USER_TOKEN_TTL: '600', SESSION_TTL: '50000' }
    world = await newWorld({ environment })
    const { application, ...keys } = await succeed(world.service.registerApplication(CONTEXT, own))
    const issued = await succeed(world.service.issueApplicationToken(CONTEXT, keys))
    const caller = await succeed(world.service.authenticate(CONTEXT, 'signIn', issued.token))
    const request = { ...world.ada, remember: true }
    const { token } = await succeed(world.service.signIn(CONTEXT, caller, request))
    await succeed(world.service.setApplication(CONTEXT, application.id, { rememberTtl: 'default' }))
    world.clock.passSeconds(1_000)
    const renewed = await succeed(world.service.renewSession(CONTEXT, caller, { token }))
    expect(renewed).to.include({ expiresInSeconds: 600, sessionExpiresInSeconds: 89_000 })
    world.clock.passSeconds(88_500)
    const ordinary = await succeed(world.service.renewSession(CONTEXT, caller, { token }))
    expect(ordinary, 'its end stays').to.include({ expiresInSeconds: 500, sessionExpiresInSeconds: 500 })
  })

  /** Grace, whose e-mail is verified, is remembered. */
  const signGraceIn = async () => {
    const credentials = { email: 'grace@example.com', password: 'old' }
    await succeed(world.service.registerUser(CONTEXT, { ...credentials, emailVerified: true }, OPERATOR))
    const request = { ...credentials, remember: true }
    return (await succeed(world.service.signIn(CONTEXT, world.caller, request))).token
  }

  it('give a step-up no longer token than a sign-in, and none beyond their end', async () => {
    const token = await signGraceIn()
    const stepUp = async (of: string) =>
      succeed(world.service.stepUp(CONTEXT, await callerOf(of), { password: 'old' }))
    expect((await stepUp(token)).expiresInSeconds).to.equal(TOKEN)
    world.clock.passSeconds(REMEMBER - 100)
    const renewed = await succeed(renew(token))
    expect(renewed.expiresInSeconds, 'the rest of the session').to.equal(100)
    expect((await stepUp(renewed.token)).expiresInSeconds).to.equal(100)
  })

  it('give an enrolment no longer token than a sign-in, and keep their expiry', async () => {
    const caller = await succeed(world.service.authenticate(CONTEXT, 'startEnrolment', await signGraceIn()))
    const enrolment = world.service.enrolTotp
    if (enrolment === undefined) throw new Error('no user can enrol')
    const started = await succeed(enrolment.start(caller))
    const totp = totpAt(started.secret, world.clock.read())
    const request = { enrolment: started.enrolment, totp, name: undefined }
    const enrolled = await succeed(enrolment.complete(CONTEXT, caller, request))
    expect(enrolled.expiresInSeconds).to.equal(TOKEN)
    expect(await sessionOf(enrolled.token)).to.include({ expiresAtSeconds: START + REMEMBER })
  })

  it('keep the key of their tokens until the longest of them has ended', async () => {
    const { token } = await signIn(true)
    const [old] = await succeed(world.service.rotateKeys(CONTEXT, { purposes: ['user'], atOnce: false }))
    expect(old?.retiresAtSeconds).to.deep.equal(some(START + 600 + REMEMBER + 600))
    world.clock.passSeconds(REMEMBER - 1)
    await world.background.settle()
    expect((await succeed(renew(token))).sessionExpiresInSeconds).to.equal(1)
  })

  it('keep it for the longest idle time and remembered session of any application, unless it is revoked', async () => {
    const register = (request: { idleTtl?: number; sessionTtl?: number; rememberTtl?: number }) =>
      succeed(world.service.registerApplication(CONTEXT, { name: 'own', scope: 'users:sign_in', ...request }))
    const retiresAfter = async () => {
      const keys = await succeed(world.service.rotateKeys(CONTEXT, { purposes: ['user'], atOnce: false }))
      const { retiresAtSeconds } = keys.at(-2) ?? { retiresAtSeconds: none }
      return isSome(retiresAtSeconds) ? retiresAtSeconds.value - START - 1_200 : undefined
    }
    await register({ idleTtl: 200_000, sessionTtl: 200_000 })
    expect(await retiresAfter()).to.equal(200_000)
    const remembering = await register({ rememberTtl: 300_000 })
    expect(await retiresAfter()).to.equal(300_000)
    await succeed(world.service.revokeApplication(CONTEXT, remembering.application.id))
    expect(await retiresAfter()).to.equal(200_000)
  })

  it('end with a key that leaked', async () => {
    const { token } = await signIn(true)
    await succeed(world.service.rotateKeys(CONTEXT, { purposes: ['user'], atOnce: true }))
    world.clock.passSeconds(1)
    expect(await fail(renew(token))).to.deep.equal(UNUSABLE)
  })
})
