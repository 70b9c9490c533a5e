import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { pasetoUserTokens } from '../../adapters/paseto/user-tokens.ts'
import { scryptPasswordHasher } from '../../adapters/scrypt/password-hasher.ts'
import type { SignInProblem, SignInRequest } from '../../domain/sign-in.ts'
import { fail, succeed } from '../support/outcome.ts'
import { settings } from '../support/settings.ts'
import { refusingHasher } from './fakes.ts'
import { CALL, FULL, newWorld, type World } from './world.ts'

describe('signIn, given that Ada@Example.com is registered with the password "old"', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld()
  })

  const signIn = (request: SignInRequest) => world.service.signIn(CALL, world.caller, request)

  const WRONG: ReadonlyArray<
    readonly [name: string, request: { email?: string; password?: string }, problems: SignInProblem[]]
  > = [
    ['nothing', {}, ['EmailMissing', 'PasswordMissing']],
    ['no e-mail', { password: 'old' }, ['EmailMissing']],
    ['no password', { email: 'ada@example.com' }, ['PasswordMissing']],
    ['an empty password', { email: 'ada@example.com', password: '' }, ['PasswordMissing']],
    ['a wrong password', { email: 'ada@example.com', password: 'new' }, ['PasswordDoesNotMatch']],
    ['the password in another case', { email: 'ada@example.com', password: 'OLD' }, ['PasswordDoesNotMatch']],
    ['a space after the password', { email: 'ada@example.com', password: 'old ' }, ['PasswordDoesNotMatch']],
    ['an unknown e-mail', { email: 'eve@example.com', password: 'old' }, ['PasswordDoesNotMatch']],
    ['an e-mail that cannot be one', { email: 'ada', password: 'old' }, ['PasswordDoesNotMatch']],
    ['a space before the e-mail', { email: ' ada@example.com', password: 'old' }, ['PasswordDoesNotMatch']],
  ]
  for (const [name, { email, password }, problems] of WRONG) {
    it(`when it comes with ${name}, then it is refused with ${problems.join(' and ')}`, async () => {
      expect(await fail(signIn({ email, password }))).to.deep.equal({ _tag: 'Invalid', problems })
      expect(await world.events()).to.deep.equal([])
    })
  }

  it('when the e-mail is unknown, then the failure is the one of a wrong password', async () => {
    const unknown = await fail(signIn({ email: 'eve@example.com', password: 'old' }))
    const wrong = await fail(signIn({ email: 'ada@example.com', password: 'wrong' }))
    expect(unknown).to.deep.equal(wrong)
  })

  for (const email of ['Ada@Example.com', 'ada@example.com', 'ADA@EXAMPLE.COM']) {
    it(`when ${email} comes with the password, then a token is handed out`, async () => {
      const signedIn = await succeed(signIn({ email, password: 'old' }))
      expect(signedIn).to.have.all.keys('token', 'expiresInSeconds', 'userId')
      expect(signedIn).to.deep.include({ expiresInSeconds: 43_200, userId: world.ada.id })
      const caller = await succeed(world.service.authenticate('getProfile', signedIn.token))
      expect(caller.user.email).to.equal('Ada@Example.com')
    })
  }

  it('when she is signed in, then the token says who she is, for how long and in which session', async () => {
    const { token } = await succeed(signIn({ email: 'ada@example.com', password: 'old' }))
    const { user } = await world.keyring()
    const claims = await succeed(pasetoUserTokens().verify(token, user.verifying))
    const iat = Date.parse('2026-03-01T12:00:00Z') / 1000
    const { sid, jti, ...plain } = claims
    expect(plain).to.deep.equal({ iss: 'http://service.test', sub: world.ada.id, iat, exp: iat + 43_200 })
    const found = await succeed(world.store.findSession(sid))
    expect(isSome(found) && found.value.session).to.deep.equal({
      id: sid,
      userId: world.ada.id,
      passwordVersion: 1,
      expiresAtSeconds: iat + 43_200,
      signedOut: false,
      version: 1,
    })
    expect(jti).to.not.equal(sid)
  })

  it('when she is signed in, then it is noted without her e-mail', async () => {
    const { token } = await succeed(signIn({ email: 'ada@example.com', password: 'old' }))
    const { session } = await succeed(world.service.authenticate('getProfile', token))
    const [{ id, position, ...noted } = { id: '', position: 0 }, ...more] = await world.events()
    expect(noted).to.deep.equal({
      type: 'UserSignedIn',
      version: 1,
      at: '2026-03-01T12:00:00.000Z',
      subject: { kind: 'user', id: world.ada.id },
      actor: { kind: 'application', id: world.shop.application.id },
      request_id: 'request-1',
      data: { session_id: session.id, expires_at: '2026-03-02T00:00:00.000Z' },
    })
    expect(more).to.deep.equal([])
  })

  it('when she is signed in twice, then the sessions are two', async () => {
    const [one, other] = [await world.signIn(), await world.signIn()]
    expect(one.caller.session.id).to.not.equal(other.caller.session.id)
    await succeed(world.service.authenticate('getProfile', one.token))
  })

  it('when the store takes no change, then no token is handed out', async () => {
    world.store.readOnly = true
    expect(await fail(signIn({ email: 'ada@example.com', password: 'old' }))).to.deep.equal(FULL)
    expect(await world.events()).to.deep.equal([])
  })
})

describe('signIn, given a hasher that does not hash', () => {
  for (const refusal of [{ _tag: 'Overloaded', retryAfterSeconds: 7 }, { _tag: 'Abandoned' }] as const) {
    // A check that is never made for an unknown e-mail would be quicker, and tell which e-mails are registered.
    for (const email of ['ada@example.com', 'eve@example.com']) {
      it(`when it says ${refusal._tag} for ${email}, then that is the answer`, async () => {
        const hasher = refusingHasher(refusal)
        const world = await newWorld({ hasher })
        hasher.refusing = true
        const request = { email, password: 'old' }
        expect(await fail(world.service.signIn(CALL, world.caller, request))).to.deep.equal(refusal)
        expect(await world.events()).to.deep.equal([])
      })
    }
  }

  it('when nobody waits for the answer any more, then no session is opened', async () => {
    const { scrypt, hashing } = settings()
    const world = await newWorld({ hasher: scryptPasswordHasher(scrypt, hashing) })
    const request = { email: 'ada@example.com', password: 'old' }
    expect(await fail(world.service.signIn({ wanted: () => false }, world.caller, request))).to.deep.equal({
      _tag: 'Abandoned',
    })
    expect(await world.events()).to.deep.equal([])
  })

  it('when a field is missing, then nobody asks it', async () => {
    const hasher = refusingHasher({ _tag: 'Overloaded', retryAfterSeconds: 7 })
    const world = await newWorld({ hasher })
    hasher.refusing = true
    const request = { email: 'ada@example.com', password: '' }
    expect(await fail(world.service.signIn(CALL, world.caller, request))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['PasswordMissing'],
    })
  })
})
