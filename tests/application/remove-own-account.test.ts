import { expect } from 'chai'
import { fail, succeed } from '../support/outcome.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

type Session = Awaited<ReturnType<World['signIn']>>

describe('removeOwnAccount, given that Ada is signed in here and elsewhere', () => {
  let world: World
  let here: Session
  let elsewhere: Session
  beforeEach(async () => {
    world = await newWorld({ environment: { THROTTLE_ACCOUNT_FAILURES: '3' } })
    here = await world.signIn()
    elsewhere = await world.signIn()
  })

  const remove = (password: string, { caller }: Session = here) =>
    world.service.removeOwnAccount(CONTEXT, caller, { password })
  const change = (oldPassword: string, { caller }: Session = here) =>
    world.service.changePassword(CONTEXT, caller, { oldPassword, newPassword: 'n', newPasswordCheck: 'n' })
  const signIn = () =>
    world.service.signIn(CONTEXT, world.caller, { email: world.ada.email, password: 'old' })
  const profile = ({ token }: Session) => world.service.authenticate(CONTEXT, 'getProfile', token)
  const noted = async () => (await world.settledEvents()).filter(({ type }) => type !== 'UserSignedIn')
  const ada = () => ({ kind: 'user', id: world.ada.id })
  const expectConsistent = async () =>
    expect((await succeed(world.service.checkLog)).disagreements).to.deep.equal([])
  const WRONG = { _tag: 'Invalid', problems: ['PasswordWrong'] }

  it('when she knows her password, then every session has ended, and only her id remains', async () => {
    await succeed(remove('old'))
    for (const session of [here, elsewhere])
      expect(await fail(profile(session))).to.deep.equal({ _tag: 'InvalidToken' })
    expect(await fail(remove('old'))).to.deep.equal({ _tag: 'InvalidToken' })
    expect((await fail(signIn()))._tag).to.equal('Invalid')
    const [user] = await succeed(world.store.listRows({ table: 'users', after: '', limit: 9 }))
    expect(user).to.include({ id: world.ada.id, email: world.ada.id, status: 'removed', passwordRecord: '' })
    expect((await noted())[0]).to.deep.equal({ type: 'UserRemoved', subject: ada(), actor: ada(), data: {} })
    await expectConsistent()
  })

  it('when the password is wrong or missing, then nothing changes', async () => {
    for (const password of ['Old', 'old ', 'old\0']) expect(await fail(remove(password))).to.deep.equal(WRONG)
    expect(await fail(remove(''))).to.deep.equal({ _tag: 'Invalid', problems: ['PasswordMissing'] })
    await succeed(profile(here))
    await expectConsistent()
  })

  it('when an operator has set the password meanwhile, then the token is invalid', async () => {
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.id, password: 'set' }))
    expect(await fail(remove('old'))).to.deep.equal({ _tag: 'InvalidToken' })
    await succeed(remove('set', await world.signIn('set')))
  })

  it('when twenty removals race, then one succeeds, and the others find the token invalid', async () => {
    world = await newWorld()
    here = await world.signIn()
    const all = await Promise.all(Array.from({ length: 20 }, () => remove('old')()))
    expect(all.filter(({ _tag }) => _tag === 'Right')).to.have.lengthOf(1)
    for (const one of all) if (one._tag === 'Left') expect(one.left).to.deep.equal({ _tag: 'InvalidToken' })
    expect((await noted()).map(({ type }) => type)).to.deep.equal(['UserRemoved'])
    await expectConsistent()
  })

  it('when a password change races it, then never both succeed with the old password', async () => {
    const [removed, changed] = await Promise.all([remove('old')(), change('old')()])
    if (changed._tag === 'Right') expect(removed).to.deep.equal({ _tag: 'Left', left: WRONG })
    else expect(removed._tag).to.equal('Right')
    await expectConsistent()
  })

  it('when three passwords were wrong, then that session waits, also to change the password, and no other', async () => {
    for (let each = 0; each < 3; each += 1) expect(await fail(remove('wrong'))).to.deep.equal(WRONG)
    const throttled = { _tag: 'Throttled', retryAfterSeconds: 30 }
    expect(await fail(remove('old'))).to.deep.equal(throttled)
    expect(await fail(change('old'))).to.deep.equal(throttled)
    expect(await fail(signIn())).to.deep.equal(throttled) // they count on the account too
    await succeed(remove('old', elsewhere)) // whose count does not stop the owner
  })

  it('when it is refused, then that is noted; a missing password is not', async () => {
    await fail(remove(''))
    for (let each = 0; each < 4; each += 1) await fail(remove('wrong'))
    expect(await noted()).to.deep.equal(
      [...Array(3).fill('wrong_password'), 'too_many_failures'].map((reason) => ({
        type: 'SignInRefused',
        subject: ada(),
        actor: ada(),
        data: { reason },
      })),
    )
  })
})
