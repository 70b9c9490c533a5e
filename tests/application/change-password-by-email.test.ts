import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { nodeDigests } from '../../adapters/node/environment.ts'
import type { PasswordChangeByEmailProblem } from '../../domain/password-change-by-email.ts'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const ADA = 'ada@example.com'

describe('changePasswordByEmail, given Ada, who is signed in', () => {
  let world: World
  let ada: Awaited<ReturnType<World['signIn']>>
  beforeEach(async () => {
    world = await newWorld()
    ada = await world.signIn()
  })

  const change = (oldPassword: string, newPassword = 'new', email = ADA, newPasswordCheck = newPassword) =>
    world.service.changePasswordByEmail(CONTEXT, { email, oldPassword, newPassword, newPasswordCheck })
  const refused = async () => (await world.settledEvents()).filter(({ type }) => type.endsWith('Refused'))

  it('when she knows her password, then the new one works and every session has ended', async () => {
    await succeed(change('old'))
    expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', ada.token))).to.deep.equal({
      _tag: 'InvalidToken',
    })
    await world.signIn('new')
    const former = { email: ADA, password: 'old' }
    expect(await fail(world.service.signIn(CONTEXT, world.caller, former))).to.have.property(
      '_tag',
      'Invalid',
    )
  })

  it('when it is changed, then the event names her as the actor', async () => {
    await succeed(change('old'))
    const user = await succeed(world.store.findUserByEmail(ADA))
    const record = isSome(user) ? user.value.passwordRecord : ''
    expect((await world.settledEvents()).slice(1)).to.deep.equal([
      {
        type: 'PasswordSet',
        subject: { kind: 'user', id: world.ada.id },
        actor: { kind: 'user', id: world.ada.id },
        data: { password_version: 2, password_digest: nodeDigests.sha256(record) },
      },
    ])
  })

  for (const [name, prepare, email, oldPassword, subject, reason] of [
    ['a wrong password', async () => {}, ADA, 'wrong', 'user', 'wrong_password'],
    ['an unknown e-mail', async () => {}, 'eve@example.com', 'old', 'service', 'unknown_email'],
    ['a malformed e-mail', async () => {}, 'ada', 'old', 'service', 'unknown_email'],
    [
      'a disabled user',
      () => succeed(world.service.disableUser(CONTEXT, ADA)),
      ADA,
      'old',
      'user',
      'user_disabled',
    ],
    [
      'a removed user',
      () => succeed(world.service.removeUser(CONTEXT, ADA)),
      ADA,
      'old',
      'service',
      'unknown_email',
    ],
  ] satisfies ReadonlyArray<readonly [string, () => Promise<unknown>, string, string, string, string]>) {
    it(`when it is sent for ${name}, then the answer is the same, and a refused sign-in without a user is noted`, async () => {
      await prepare()
      expect(await fail(change(oldPassword, 'new', email))).to.deep.equal({
        _tag: 'Invalid',
        problems: ['OldPasswordWrong'],
      })
      expect(
        (await refused()).map(({ type, actor, subject: { kind }, data }) => ({ type, actor, kind, data })),
      ).to.deep.equal([{ type: 'SignInRefused', actor: { kind: 'nobody' }, kind: subject, data: { reason } }])
    })
  }

  it('when a field is missing, then all problems are reported, and no password was verified', async () => {
    const problems: ReadonlyArray<PasswordChangeByEmailProblem> = ['EmailMissing', 'NewPasswordCheckDiffers']
    const outcome = await fail(change('old', 'new', '', 'other'))
    expect(outcome).to.have.property('_tag', 'Invalid')
    expect('problems' in outcome && outcome.problems).to.have.members([...problems])
    expect((await refused()).map(({ data }) => data)).to.deep.equal([{ reason: 'missing_field' }])
  })

  it('when only the new password is wrong, then a refused change of hers is noted, and nothing changes', async () => {
    await fail(change('old', 'new', ADA, 'other'))
    expect(await refused()).to.deep.equal([
      {
        type: 'PasswordChangeRefused',
        subject: { kind: 'user', id: world.ada.id },
        actor: { kind: 'user', id: world.ada.id },
        data: { codes: [5] },
      },
    ])
    await succeed(world.service.authenticate(CONTEXT, 'getProfile', ada.token))
    await world.signIn('old')
  })

  it('when five changes race on one old password, then one wins, and the others find it wrong', async () => {
    const passwords = ['1', '2', '3', '4', '5']
    const outcomes = await Promise.all(passwords.map((password) => change('old', password)()))
    const losers = outcomes.filter(({ _tag }) => _tag === 'Left')
    expect(losers).to.deep.equal(
      Array.from({ length: 4 }, () => ({
        _tag: 'Left',
        left: { _tag: 'Invalid', problems: ['OldPasswordWrong'] },
      })),
    )
    await world.signIn(passwords[outcomes.findIndex(({ _tag }) => _tag === 'Right')])
  })
})

describe('changePasswordByEmail, given a limit of three failures', () => {
  let world: World
  beforeEach(async () => {
    world = await newWorld({
      environment: { THROTTLE_ACCOUNT_FAILURES: '3', THROTTLE_ADDRESS_FAILURES: '5' },
    })
  })

  const changeFrom = (network: string, oldPassword: string, email = ADA) =>
    world.service.changePasswordByEmail(
      { ...CONTEXT, address: () => network },
      { email, oldPassword, newPassword: 'new', newPasswordCheck: 'new' },
    )
  const tagsOf = async (times: number, attempt: () => ReturnType<typeof changeFrom>) => {
    const tags: Array<string> = []
    for (let each = 0; each < times; each += 1) {
      const outcome = await attempt()()
      tags.push(outcome._tag === 'Left' ? outcome.left._tag : 'changed')
    }
    return tags
  }

  it('when three fail, then the account is refused in this network, for the right password and for sign-ins of end users there too', async () => {
    expect(await tagsOf(4, () => changeFrom('192.0.2.1', 'wrong'))).to.deep.equal([
      'Invalid',
      'Invalid',
      'Invalid',
      'Throttled',
    ])
    expect(await tagsOf(1, () => changeFrom('192.0.2.1', 'old'))).to.deep.equal(['Throttled'])
    const signInFrom = (endUserAddress: string) =>
      world.service.signIn({ ...CONTEXT, endUserAddress }, world.caller, { email: ADA, password: 'old' })
    expect(await fail(signInFrom('192.0.2.1'))).to.have.property('_tag', 'Throttled')
    await succeed(signInFrom('192.0.2.2'))
  })

  it('when a change succeeds, then the failures of the account are forgotten', async () => {
    await tagsOf(2, () => changeFrom('192.0.2.1', 'wrong'))
    await succeed(changeFrom('192.0.2.1', 'old'))
    expect(await tagsOf(3, () => changeFrom('192.0.2.1', 'wrong'))).to.deep.equal([
      'Invalid',
      'Invalid',
      'Invalid',
    ])
  })

  it('when a network fails with many e-mails, then it is refused, and other networks are not', async () => {
    let number = 0
    const another = () => {
      number += 1
      return changeFrom('192.0.2.1', 'wrong', `user${number}@example.com`)
    }
    expect((await tagsOf(6, another)).at(-1)).to.equal('Throttled')
    expect(await tagsOf(1, () => changeFrom('192.0.2.1', 'old'))).to.deep.equal(['Throttled'])
    await succeed(changeFrom('192.0.2.2', 'old'))
  })
})
