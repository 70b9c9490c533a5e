import { expect } from 'chai'
import { isSome, none } from 'fp-ts/lib/Option.js'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type EnrolledUser, enrolUser, SECRET, wrongCodeAt } from '../support/second-factors.ts'
import { claimsOf } from '../support/token-claims.ts'
import { CONTEXT, NOW, newWorld, type World } from './world.ts'

const PASSWORD = 'old'
const TTL = 1_000
const START = Date.parse(NOW) / 1000
const ENVIRONMENT = { USER_TOKEN_TTL: `${TTL}`, SESSION_TTL: '2500', THROTTLE_ACCOUNT_FAILURES: '10' }
const INVALID_TOKEN = { _tag: 'InvalidToken' }
const PASSWORD_WRONG = { _tag: 'Invalid', problems: ['PasswordWrong'] }

const work: Array<'hash' | 'verify'> = []
const hasher = plainHasher(async (kind) => {
  work.push(kind)
  return undefined
})

describe('stepUp, given Ada, who is signed in', () => {
  let world: World
  let here: Awaited<ReturnType<World['signIn']>>
  beforeEach(async () => {
    world = await newWorld({ hasher, environment: ENVIRONMENT })
    here = await world.signIn()
    work.length = 0
  })

  const stepUp = (password: string | undefined, caller = here.caller) =>
    world.service.stepUp(CONTEXT, caller, { password })
  const types = async () => (await world.settledEvents()).map(({ type }) => type)
  const renew = (token: string) => succeed(world.service.renewSession(CONTEXT, world.caller, { token }))
  const rowOf = async ({ caller } = here) => {
    const found = await succeed(world.store.findSession(caller.session.id))
    if (!isSome(found)) throw new Error('the session does not exist')
    return found.value
  }
  const expectAgreement = async () =>
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])

  it('when the password is right, then a token of the session has a new time and the same end, and it is noted', async () => {
    const other = await world.signIn()
    const before = await rowOf(other)
    world.clock.passSeconds(900)
    const { token, ...rest } = await succeed(stepUp(PASSWORD))
    expect(rest).to.deep.equal({ expiresInSeconds: TTL - 900, acr: 'aal1', amr: ['pwd'], roles: [] })
    const after = claimsOf(token)
    const now = START + 900
    expect(after).to.deep.equal({ ...claimsOf(here.token), iat: now, auth_time: now, jti: after.jti })
    expect(after.jti).to.not.equal(claimsOf(here.token).jti)
    const noted = (await world.settledEvents()).at(-1)
    expect(noted).to.deep.equal({
      type: 'SessionSteppedUp',
      subject: { kind: 'user', id: world.ada.id },
      actor: { kind: 'user', id: world.ada.id },
      data: { session_id: here.caller.session.id, amr: ['pwd'] },
    })
    expect(await rowOf(other), 'another session').to.deep.equal(before)
    await expectAgreement()
  })

  it('when the session is renewed before and after it, then it lasts until the renewed expiry, and each token keeps its time', async () => {
    world.clock.passSeconds(500)
    await renew(here.token)
    world.clock.passSeconds(100)
    const stepped = await succeed(stepUp(PASSWORD, { ...here.caller, ...(await rowOf()) }))
    expect(stepped.expiresInSeconds).to.equal(TTL - 100)
    world.clock.passSeconds(100)
    for (const [token, time] of [
      [here.token, START],
      [stepped.token, START + 600],
    ] as const)
      expect(claimsOf((await renew(token)).token)).to.include({ auth_time: time })
    await expectAgreement()
  })

  it('when the session has expired, then it is refused, also while its token is tolerated', async () => {
    world.clock.passSeconds(TTL)
    await succeed(world.service.authenticate(CONTEXT, 'stepUp', here.token))
    expect(await fail(stepUp(PASSWORD))).to.deep.equal(INVALID_TOKEN)
    expect(await types()).to.deep.equal(['UserSignedIn'])
  })

  it('when passwords were wrong, here or at a password change, then both wait, and the owner may use another session', async () => {
    const request = { oldPassword: 'wrong', newPassword: 'new', newPasswordCheck: 'new' }
    const changePassword = (oldPassword: string) =>
      world.service.changePassword(CONTEXT, here.caller, { ...request, oldPassword })
    const throttled = { _tag: 'Throttled', retryAfterSeconds: 30 }
    await fail(stepUp('wrong'))
    await succeed(stepUp(PASSWORD)) // deletes the count
    for (let each = 0; each < 9; each += 1) expect(await fail(stepUp('wrong'))).to.deep.equal(PASSWORD_WRONG)
    expect(await fail(changePassword('wrong'))).to.have.property('_tag', 'Invalid')
    expect(await fail(stepUp(PASSWORD))).to.deep.equal(throttled)
    expect(await fail(changePassword(PASSWORD))).to.deep.equal(throttled)
    const signIn = { email: world.ada.email, password: PASSWORD }
    expect(await fail(world.service.signIn(CONTEXT, world.caller, signIn))).to.deep.equal(throttled)
    expect((await world.settledEvents()).at(-1)?.data).to.deep.equal({ reason: 'too_many_failures' })
    world.clock.passSeconds(30)
    const other = await world.signIn()
    for (let each = 0; each < 11; each += 1)
      await fail(world.service.signIn(CONTEXT, world.caller, { ...signIn, password: 'wrong' }))
    await succeed(stepUp(PASSWORD, other.caller))
  })

  it('when the password is right, then it is compared once and never hashed again', async () => {
    await succeed(stepUp(PASSWORD))
    expect(work).to.deep.equal(['verify'])
    expect(await types()).to.deep.equal(['UserSignedIn', 'SessionSteppedUp'])
  })

  it('when ten step up at once, then each succeeds with one comparison', async () => {
    await Promise.all(Array.from({ length: 10 }, () => succeed(stepUp(PASSWORD))))
    expect(work).to.deep.equal(Array.from({ length: 10 }, () => 'verify'))
  })

  it('when the password is wrong, then the work is the same, and the refusal is noted', async () => {
    expect(await fail(stepUp('wrong'))).to.deep.equal(PASSWORD_WRONG)
    expect(work).to.deep.equal(['verify'])
    expect(await types()).to.deep.equal(['UserSignedIn', 'SignInRefused'])
  })

  it('when the password is missing, then nothing is compared or noted', async () => {
    expect(await fail(stepUp(undefined))).to.deep.equal({ _tag: 'Invalid', problems: ['ProofMissing'] })
    expect(work).to.deep.equal([])
    expect(await types()).to.deep.equal(['UserSignedIn'])
  })

  it('when the application of her session is gone, then she signs in again: none could renew it', async () => {
    const caller = { ...here.caller, application: none }
    expect(await fail(stepUp(PASSWORD, caller))).to.deep.equal(INVALID_TOKEN)
    expect(await types()).to.deep.equal(['UserSignedIn'])
  })

  it('when the clock was set back, then the session is not authenticated after the entry', async () => {
    world.clock.passSeconds(-3_600)
    await succeed(stepUp(PASSWORD))
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })
})

describe('stepUp, given Ada, who has signed in with a second factor', () => {
  let world: World
  let ada: EnrolledUser
  let begun: number
  let here: Awaited<ReturnType<World['signIn']>>
  beforeEach(async () => {
    world = await newWorld({ hasher })
    ada = await enrolUser(world.store, world.ada.id)
    const due = await fail(world.service.signIn(CONTEXT, world.caller, world.ada))
    const { token } = await succeed(
      world.service.completeSignIn(CONTEXT, world.caller, {
        token: 'token' in due ? due.token : '',
        totp: ada.codeAt(world.clock.read()),
      }),
    )
    here = { token, caller: await succeed(world.service.authenticate(CONTEXT, 'stepUp', token)) }
    world.clock.passSeconds(100)
    begun = (await world.events()).length
    work.length = 0
  })

  const stepUp = (proof: Parameters<typeof world.service.stepUp>[2], { caller } = here) =>
    world.service.stepUp(CONTEXT, caller, proof)
  const newEvents = async () =>
    (await world.settledEvents()).slice(begun).map(({ type, data }) => ({ type, data }))

  for (const [what, amr, proof] of [
    ['a code of the app', ['pwd', 'otp', 'mfa'], () => ({ totp: ada.codeAt(world.clock.read()) })],
    ['a recovery code', ['pwd', 'recovery_code', 'mfa'], () => ({ recoveryCode: ada.recoveryCodes[0] })],
  ] as const)
    it(`when ${what} comes, then the session says how and when she was authenticated, in the change that uses it`, async () => {
      const { token, ...rest } = await succeed(stepUp({ password: undefined, ...proof() }))
      expect(rest).to.deep.equal({ expiresInSeconds: 43_100, acr: 'aal2', amr, roles: [] })
      expect(claimsOf(token)).to.deep.include({ auth_time: START + 100, acr: 'aal2', amr })
      const [used, stepped, ...more] = await newEvents()
      expect([used?.type, more]).to.deep.equal(['FactorUsed', []])
      expect(stepped?.data).to.deep.equal({ session_id: here.caller.session.id, amr })
      expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
    })

  it('when a password comes, then it is not enough, and it is not even compared', async () => {
    for (const password of [PASSWORD, 'wrong'])
      expect(await fail(stepUp({ password }))).to.deep.equal({
        _tag: 'Invalid',
        problems: ['PasswordNotEnough'],
      })
    expect([work, await newEvents()]).to.deep.equal([[], []])
  })

  it('when a proof is wrong, then it is noted why, and the next one may be right', async () => {
    const password = undefined
    for (const [proof, problem] of [
      [{ totp: wrongCodeAt(SECRET, world.clock.read()) }, 'TotpWrong'],
      [{ recoveryCode: 'wrong' }, 'RecoveryCodeWrong'],
      [{ credential: '{}' }, 'CredentialInvalid'],
    ] as const)
      expect(await fail(stepUp({ password, ...proof }))).to.deep.equal({
        _tag: 'Invalid',
        problems: [problem],
      })
    expect((await newEvents()).map(({ data }) => 'reason' in data && data.reason)).to.deep.equal([
      'wrong_code',
      'wrong_recovery_code',
      'invalid_credential',
    ])
    await succeed(stepUp({ password, totp: ada.codeAt(world.clock.read()) }))
  })
})
