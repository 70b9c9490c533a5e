import { expect } from 'chai'
import { scryptPasswordHasher } from '../../adapters/credentials/scrypt/password-hasher.ts'
import type { PasswordChangeProblem, PasswordChangeRequest } from '../../domain/password-change.ts'
import { fail, succeed } from '../support/outcome.ts'
import { settings } from '../support/settings.ts'
import { refusingHasher } from './fakes.ts'
import { allEvents, CONTEXT, newWorld, type World } from './world.ts'

const CHANGE = { oldPassword: 'old', newPassword: 'new', newPasswordCheck: 'new' }

describe('changePassword, given that Ada is signed in here and elsewhere', () => {
  let world: World
  let here: Awaited<ReturnType<World['signIn']>>
  let elsewhere: Awaited<ReturnType<World['signIn']>>
  beforeEach(async () => {
    world = await newWorld()
    here = await world.signIn()
    elsewhere = await world.signIn()
  })

  const change = (request: PasswordChangeRequest = CHANGE) =>
    world.service.changePassword(CONTEXT, here.caller, request)

  const WRONG: ReadonlyArray<
    readonly [
      name: string,
      wrong: Partial<PasswordChangeRequest>,
      problems: PasswordChangeProblem[],
      codes: number[],
    ]
  > = [
    ['a wrong old password', { oldPassword: 'old ' }, ['OldPasswordWrong'], [4]],
    [
      'a wrong old password, no new password and no check',
      { oldPassword: 'x', newPassword: '', newPasswordCheck: '' },
      ['OldPasswordWrong', 'NewPasswordMissing', 'NewPasswordCheckMissing'],
      [2, 3, 4],
    ],
  ]
  for (const [name, wrong, problems, codes] of WRONG) {
    it(`when she sends ${name}, then the problems are ${problems.join(', ')} and nothing has changed`, async () => {
      const before = await world.events()
      const failure = await fail(change({ ...CHANGE, ...wrong }))
      expect(failure).to.deep.equal({ _tag: 'Invalid', problems })
      expect(await world.events()).to.deep.equal(before)
      await world.signIn('old')
      await succeed(world.service.authenticate(CONTEXT, 'getProfile', elsewhere.token))
    })

    it(`when she sends ${name}, then it is noted as ${codes.join(', ')} once it is answered`, async () => {
      await fail(change({ ...CHANGE, ...wrong }))
      expect((await world.settledEvents()).slice(2)).to.deep.equal([
        {
          type: 'PasswordChangeRefused',
          subject: { kind: 'user', id: world.ada.id },
          actor: { kind: 'user', id: world.ada.id },
          data: { codes },
        },
      ])
    })
  }

  it('when she is disabled meanwhile, then her token is invalid and nothing has changed', async () => {
    await succeed(world.service.disableUser(CONTEXT, world.ada.email))
    expect(await fail(change())).to.deep.equal({ _tag: 'InvalidToken' })
    await succeed(world.service.enableUser(CONTEXT, world.ada.email))
    await world.signIn('old')
    expect((await world.settledEvents()).map(({ type }) => type)).to.not.include('PasswordChangeRefused')
  })

  it('when the request is valid, then the new password works and the old one does not', async () => {
    await succeed(change())
    await world.signIn('new')
    const request = { email: world.ada.email, password: 'old' }
    expect(await fail(world.service.signIn(CONTEXT, world.caller, request))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['PasswordDoesNotMatch'],
    })
  })

  it('when the request is valid, then the other session ends and the current one stays alive', async () => {
    await succeed(change())
    expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', elsewhere.token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
    await succeed(world.service.authenticate(CONTEXT, 'getProfile', here.token))
  })

  it('when the request is valid, then one PasswordChanged is logged', async () => {
    await succeed(change())
    const last = (await allEvents(world.store)).at(-1)
    const [made] = await succeed(world.store.findUserByEmail(world.ada.email)).then((user) =>
      user._tag === 'Some' ? [user.value] : [],
    )
    expect(last).to.deep.include({
      type: 'PasswordChanged',
      at: '2026-03-01T12:00:00.000Z',
      actor: { kind: 'user', id: world.ada.id },
      subject: { kind: 'user', id: world.ada.id },
      request_id: 'request-1',
    })
    expect(last?.data).to.deep.include({ password_version: 2, session_id: here.caller.session.id })
    expect(made).to.deep.include({ passwordVersion: 2, version: 2, email: 'Ada@Example.com' })
    expect((await world.events()).filter(({ type }) => type === 'PasswordChanged')).to.have.lengthOf(1)
  })

  it('when she changes it again and again with one token, then each change counts', async () => {
    const passwords = ['old', 'second', 'third', 'old', 'old']
    for (const [index, newPassword] of passwords.slice(1).entries()) {
      const caller = await succeed(world.service.authenticate(CONTEXT, 'changePassword', here.token))
      const request = { oldPassword: passwords[index], newPassword, newPasswordCheck: newPassword }
      await succeed(world.service.changePassword(CONTEXT, caller, request))
    }
    const changes = (await world.events()).filter(({ type }) => type === 'PasswordChanged')
    expect(changes.map(({ data }) => 'password_version' in data && data.password_version)).to.deep.equal([
      2, 3, 4, 5,
    ])
  })

  it('when the new password is the old one, then it is set anyway and other sessions end', async () => {
    await succeed(change({ oldPassword: 'old', newPassword: 'old', newPasswordCheck: 'old' }))
    expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', elsewhere.token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
    await world.signIn('old')
  })
})

describe('changePassword, given a hasher that refuses', () => {
  for (const refusal of [{ _tag: 'Overloaded', retryAfterSeconds: 7 }, { _tag: 'Abandoned' }] as const) {
    it(`when it says ${refusal._tag}, then that failure is the answer and nothing has changed`, async () => {
      const hasher = refusingHasher(refusal)
      const world = await newWorld({ hasher })
      const { caller } = await world.signIn()
      hasher.refusing = true
      expect(await fail(world.service.changePassword(CONTEXT, caller, CHANGE))).to.deep.equal(refusal)
      hasher.refusing = false
      await world.signIn('old')
      expect((await world.settledEvents()).map(({ type }) => type)).to.deep.equal([
        'UserSignedIn',
        'UserSignedIn',
      ])
    })
  }

  it('when the request is aborted, then no password is hashed', async () => {
    const { scrypt, hashing } = settings()
    const world = await newWorld({ hasher: scryptPasswordHasher(scrypt, hashing) })
    const { caller } = await world.signIn()
    const aborted = { signal: () => AbortSignal.abort() }
    for (const oldPassword of ['old', 'wrong']) {
      const request = { ...CHANGE, oldPassword }
      expect(await fail(world.service.changePassword(aborted, caller, request))).to.deep.equal({
        _tag: 'Abandoned',
      })
    }
    await world.signIn('old')
  })

  it('when the old password is missing, then all problems are reported without a hash', async () => {
    const hasher = refusingHasher({ _tag: 'Overloaded', retryAfterSeconds: 7 })
    const world = await newWorld({ hasher })
    const { caller } = await world.signIn()
    hasher.refusing = true
    const request = { ...CHANGE, oldPassword: '' }
    expect(await fail(world.service.changePassword(CONTEXT, caller, request))).to.deep.equal({
      _tag: 'Invalid',
      problems: ['OldPasswordMissing'],
    })
  })
})
