import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import type { ApplicationCaller } from '../../domain/access.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { enrolUser, userOf } from '../support/second-factors.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const EVE = 'eve@example.com'

describe('a user without a password', () => {
  let world: World
  let portal: ApplicationCaller
  let id: string
  let hashed: Array<'hash' | 'verify'>
  beforeEach(async () => {
    hashed = []
    const hasher = plainHasher(async (work) => {
      hashed.push(work)
      return undefined
    })
    world = await newWorld({ environment: { ...FACTOR_SETTINGS, THROTTLE_ACCOUNT_FAILURES: '1000' }, hasher })
    const { service } = world
    const scope = 'users:vouch users:sign_in users:recover users:confirm_email'
    const made = await succeed(service.registerApplication(CONTEXT, { name: 'portal', scope }))
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, made))
    portal = await succeed(service.authenticate(CONTEXT, 'vouchForUser', token))
    const request = { email: EVE, password: undefined, withoutPassword: true, emailVerified: true }
    hashed = []
    id = (await succeed(service.registerUser(CONTEXT, request, OPERATOR))).id
  })
  afterEach(async () => {
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  })

  const signIn = (password: string, email = EVE) =>
    world.service.signIn(CONTEXT, world.caller, { email, password })
  const vouched = async () => {
    const signedIn = await succeed(
      world.service.signInVouched(CONTEXT, portal, { userId: id, email: undefined, method: 'email' }),
    )
    return { ...signedIn, caller: await callerOf(signedIn.token) }
  }
  const callerOf = (token: string) => succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
  /** A session in which a second factor was proved. */
  const proved = async () => {
    const { recoveryCodes } = await enrolUser(world.store, id)
    const due = await fail(
      world.service.signInVouched(CONTEXT, portal, { userId: id, email: undefined, method: 'email' }),
    )
    const { token } = await succeed(
      world.service.completeSignIn(CONTEXT, portal, {
        token: due._tag === 'SecondFactorDue' ? due.token : '',
        recoveryCode: recoveryCodes[0],
      }),
    )
    return { token, caller: await callerOf(token), next: recoveryCodes[1] }
  }
  const invalid = (...problems: ReadonlyArray<string>) => ({ _tag: 'Invalid', problems })

  it('is registered without a hash, and the log says no more than that', async () => {
    expect(hashed).to.deep.equal([])
    const entry = (await world.events()).at(-1)
    expect([entry?.type, entry?.data]).to.deep.equal([
      'UserRegistered',
      { password_digest: nodeDigests.sha256(''), email_verified: true },
    ])
    const { users } = await succeed(
      world.service.searchUsers({ email: EVE, status: undefined, after: undefined }),
    )
    expect(users).to.have.deep.nested.property('[0].hasPassword', false)
  })

  it('signs in with no password, after the work of an unknown e-mail', async () => {
    for (const [email, reason] of [
      ['unknown@example.com', 'unknown_email'],
      [EVE, 'wrong_password'],
    ] as const) {
      hashed = []
      for (const password of ['x', ' ', '\0'])
        expect(await fail(signIn(password, email))).to.deep.equal(invalid('PasswordDoesNotMatch'))
      expect(hashed).to.deep.equal(['verify', 'verify', 'verify'])
      expect((await world.settledEvents()).at(-1)?.data).to.deep.equal({ reason })
    }
  })

  it('has no old password to change, and none to step up with', async () => {
    const { caller } = await vouched()
    for (const oldPassword of ['x', ' '])
      expect(
        await fail(
          world.service.changePassword(CONTEXT, caller, {
            oldPassword,
            newPassword: 'n',
            newPasswordCheck: 'n',
          }),
        ),
      ).to.deep.equal(invalid('OldPasswordWrong'))
    expect(await fail(world.service.stepUp(CONTEXT, caller, { password: 'x' }))).to.deep.equal(
      invalid('PasswordWrong'),
    )
    expect((await userOf(world.store, id)).passwordRecord).to.equal('')
  })

  it('gets the first password by a recovery', async () => {
    const { token } = await vouched()
    const { account } = await succeed(world.service.startRecovery(CONTEXT, portal, { email: EVE }))
    const recovery = {
      token: isSome(account) ? account.value.token : '',
      newPassword: 'n',
      newPasswordCheck: 'n',
    }
    await succeed(world.service.completeRecovery(CONTEXT, recovery))
    await fail(world.service.authenticate(CONTEXT, 'getProfile', token))
    await succeed(signIn('n'))
  })

  it('removes the account only with something that the service has seen', async () => {
    const { removeOwnAccount } = world.service
    const { caller } = await vouched()
    for (const password of [undefined, '', 'x'])
      expect(await fail(removeOwnAccount(CONTEXT, caller, { password }))).to.deep.equal({
        _tag: 'InsufficientAuthentication',
        maxAgeSeconds: 600,
        acr: 'aal1',
        canStepUp: false,
      })
    const strong = await proved()
    world.clock.passSeconds(601)
    expect(await fail(removeOwnAccount(CONTEXT, strong.caller, { password: undefined }))).to.include({
      _tag: 'InsufficientAuthentication',
      acr: 'aal2',
      canStepUp: true,
    })
    const again = await succeed(
      world.service.stepUp(CONTEXT, strong.caller, { password: undefined, recoveryCode: strong.next }),
    )
    expect(again.amr).to.deep.equal(['vouched', 'email', 'recovery_code', 'mfa'])
    await succeed(removeOwnAccount(CONTEXT, await callerOf(again.token), { password: undefined }))
    expect(await userOf(world.store, id)).to.include({ status: 'removed' })
  })

  it('gets another e-mail only with something that the service has seen', async () => {
    const start = (userToken: string | undefined, password?: string, userId = id) =>
      world.service.startEmailConfirmation(CONTEXT, portal, {
        userId,
        email: 'eve@example.org',
        password,
        userToken,
      })
    const { token } = await vouched()
    hashed = []
    for (const sent of [undefined, '', 'garbage', token])
      expect(await fail(start(sent, 'x')), String(sent)).to.deep.equal(invalid('UserTokenNotFresh'))
    expect(hashed, 'there is no password to compare').to.deep.equal([])
    const strong = await proved()
    await succeed(start(strong.token))
    expect(
      await fail(start(strong.token, undefined, world.ada.id)),
      'of a user with a password',
    ).to.deep.equal(invalid('PasswordMissing'))
    world.clock.passSeconds(601)
    expect(await fail(start(strong.token))).to.deep.equal(invalid('UserTokenNotFresh'))
  })

  it('confirms the e-mail on record without either', async () => {
    const request = { userId: id, email: EVE, password: undefined, userToken: undefined }
    await succeed(world.service.startEmailConfirmation(CONTEXT, portal, request))
  })

  it('is imported and counted as such', async () => {
    const decided = await succeed(
      world.service.importUsers(CONTEXT, [
        { email: 'none@example.com', password_hash: null },
        { email: 'forgotten@example.com' },
      ]),
    )
    expect(decided.map(({ _tag }) => _tag)).to.deep.equal(['Right', 'Left'])
    const entry = (await world.events()).at(-1)
    expect(entry?.data).to.include({ scheme: '', password_digest: nodeDigests.sha256('') })
    expect(await fail(signIn('x', 'none@example.com'))).to.deep.equal(invalid('PasswordDoesNotMatch'))
  })
})
