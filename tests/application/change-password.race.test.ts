import { expect } from 'chai'
import type { Either } from 'fp-ts/lib/Either.js'
import { scryptPasswordHasher } from '../../adapters/credentials/scrypt/password-hasher.ts'
import type { UserCaller } from '../../domain/access.ts'
import { fail, succeed } from '../support/outcome.ts'
import { settings } from '../support/settings.ts'
import { pausingHasher } from './fakes.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

const RIVALS = 50

/** A minute; the others are summarized. */
const NOTED_OF_ONE_USER = 10

const cheapScrypt = () => {
  const { scrypt, hashing } = settings()
  return scryptPasswordHasher(scrypt, hashing)
}

/** All change the same old password concurrently, each to another new one. */
const race = (world: World, callers: ReadonlyArray<UserCaller>) =>
  Promise.all(
    callers.map((caller, index) => {
      const newPassword = `new ${index}`
      const request = { oldPassword: 'old', newPassword, newPasswordCheck: newPassword }
      return world.service.changePassword(CONTEXT, caller, request)()
    }),
  )

const expectOneWinner = async (world: World, results: ReadonlyArray<Either<unknown, void>>) => {
  const losers = results.filter(({ _tag }) => _tag === 'Left')
  expect(results.length - losers.length).to.equal(1)
  for (const loser of losers) {
    expect(loser).to.deep.equal({ _tag: 'Left', left: { _tag: 'Invalid', problems: ['OldPasswordWrong'] } })
  }
  expect((await world.events()).filter(({ type }) => type === 'PasswordChanged')).to.have.lengthOf(1)
  await world.background.settle()
  const refused = (await world.events()).filter(({ type }) => type === 'PasswordChangeRefused')
  expect(refused.map(({ data }) => data)).to.deep.equal(
    losers.slice(0, NOTED_OF_ONE_USER).map(() => ({ codes: [4] })),
  )
  await world.signIn(`new ${results.findIndex(({ _tag }) => _tag === 'Right')}`)
}

describe(`changePassword, given ${RIVALS} changes that race on one old password`, () => {
  it('from one session, then exactly one wins and the others find the old password wrong', async () => {
    const world = await newWorld({ hasher: cheapScrypt() })
    const { token, caller } = await world.signIn()
    await expectOneWinner(
      world,
      await race(
        world,
        Array.from({ length: RIVALS }, () => caller),
      ),
    )
    await succeed(world.service.authenticate(CONTEXT, 'getProfile', token))
  })

  it(`from ${RIVALS} sessions, then exactly one wins, and only its session stays alive`, async () => {
    const world = await newWorld({ hasher: cheapScrypt() })
    const sessions = await Promise.all(Array.from({ length: RIVALS }, () => world.signIn()))
    const results = await race(
      world,
      sessions.map(({ caller }) => caller),
    )
    await expectOneWinner(world, results)
    for (const [index, { token }] of sessions.entries()) {
      const profile = world.service.authenticate(CONTEXT, 'getProfile', token)
      if (results[index]?._tag === 'Right') await succeed(profile)
      else expect(await fail(profile)).to.deep.equal({ _tag: 'InvalidToken' })
    }
  })
})

describe('changePassword, given a sign-in that has verified the old password', () => {
  it('when the password changes before its session is opened, then that session has already ended', async () => {
    const { hasher, pauseNext } = pausingHasher()
    const world = await newWorld({ hasher })
    const { caller } = await world.signIn()

    const pause = pauseNext()
    const late = world.service.signIn(CONTEXT, world.caller, { email: world.ada.email, password: 'old' })()
    await pause.reached
    await succeed(
      world.service.changePassword(CONTEXT, caller, {
        oldPassword: 'old',
        newPassword: 'new',
        newPasswordCheck: 'new',
      }),
    )
    pause.resume()

    const signedIn = await late
    if (signedIn._tag === 'Left') throw new Error('the sign-in itself was refused')
    expect(await fail(world.service.authenticate(CONTEXT, 'getProfile', signedIn.right.token))).to.deep.equal(
      {
        _tag: 'InvalidToken',
      },
    )
  })
})

describe('changePassword, given a change that has verified the old password', () => {
  it('when its session is signed out before it commits, then it finds its token invalid', async () => {
    const { hasher, pauseNext } = pausingHasher()
    const world = await newWorld({ hasher })
    const { caller } = await world.signIn()

    const pause = pauseNext()
    const late = world.service.changePassword(CONTEXT, caller, {
      oldPassword: 'old',
      newPassword: 'new',
      newPasswordCheck: 'new',
    })()
    await pause.reached
    await succeed(world.service.signOut(CONTEXT, caller))
    pause.resume()

    expect(await late).to.deep.equal({ _tag: 'Left', left: { _tag: 'InvalidToken' } })
    expect((await world.events()).map(({ type }) => type)).to.deep.equal(['UserSignedIn', 'UserSignedOut'])
  })
})
