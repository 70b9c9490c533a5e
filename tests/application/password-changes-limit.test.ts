import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Environment } from '../../adapters/config/settings.ts'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type EnrolledUser, enrolUser } from '../support/second-factors.ts'
import { listed } from '../testkit/outbox/steps.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

type Changing = TaskEither<Readonly<{ _tag: string }>, unknown>

const HOUR = 3_600
const ADA = 'ada@example.com'
const tooMany = (retryAfterSeconds: number) => ({
  _tag: 'Throttled',
  retryAfterSeconds,
  tooMany: 'password_changes',
})

describe('password changes, of which a user has 20 an hour while each one mails a notice', () => {
  let world: World
  let hashed: Array<string>
  const start = async (environment: Environment) => {
    hashed = []
    const plain = plainHasher()
    const hash: typeof plain.hash = (password, hashing) => {
      hashed.push(password)
      return plain.hash(password, hashing)
    }
    world = await newWorld({ environment, hasher: { ...plain, hash } })
  }
  beforeEach(() => start(mailLinkSettings()))

  const fields = (oldPassword: string, newPassword: string) => ({
    oldPassword,
    newPassword,
    newPasswordCheck: newPassword,
  })
  const inSession = async (oldPassword: string, newPassword: string): Promise<Changing> => {
    const { caller } = await world.signIn(oldPassword)
    return world.service.changePassword(CONTEXT, caller, fields(oldPassword, newPassword))
  }
  const byEmail = (oldPassword: string, newPassword: string) =>
    world.service.changePasswordByEmail(CONTEXT, { email: ADA, ...fields(oldPassword, newPassword) })
  /** Ada's password is then the number of changes. */
  const changeTimes = async (times: number) => {
    await succeed(byEmail('old', '1'))
    for (let each = 1; each < times; each += 1)
      await succeed(
        each % 2 === 0 ? byEmail(`${each}`, `${each + 1}`) : await inSession(`${each}`, `${each + 1}`),
      )
  }
  const noticed = async () =>
    (await listed(world.outbox)).filter(({ kind }) => kind === 'password_changed').length
  const refusals = async () =>
    (await world.settledEvents()).filter(({ type }) => type === 'PasswordChangeRefused')

  for (const [where, change] of [
    ['in a session', inSession],
    ['by e-mail', async (from: string, to: string): Promise<Changing> => byEmail(from, to)],
  ] as const)
    it(`when she made 20 and makes another one ${where}, then nothing is hashed, changed or mailed`, async () => {
      await changeTimes(20)
      world.clock.passSeconds(600)
      hashed = []
      expect(await fail(await change('20', '21'))).to.deep.equal(tooMany(HOUR - 600))
      expect(hashed).to.deep.equal([])
      expect(await noticed()).to.equal(20)
      expect(await refusals()).to.deep.equal([
        {
          type: 'PasswordChangeRefused',
          subject: { kind: 'user', id: world.ada.id },
          actor: { kind: 'user', id: world.ada.id },
          data: { codes: [] },
        },
      ])
      await world.signIn('20')
      world.clock.passSeconds(HOUR - 600)
      await succeed(await change('20', '21'))
    })

  it('when changes are refused for another reason, then they do not count', async () => {
    for (let each = 0; each < 25; each += 1) {
      expect(await fail(await inSession('old', ''))).to.have.property('_tag', 'Invalid')
      expect(await fail(byEmail('old', ''))).to.have.property('_tag', 'Invalid')
    }
    await changeTimes(20)
  })

  it('when the limit is reached, then a wrong password, and a new one that is refused, get the same as before', async () => {
    await changeTimes(20)
    const { caller } = await world.signIn('20')
    for (const wrong of [fields('wrong', '21'), fields('20', '')]) {
      expect(await fail(world.service.changePassword(CONTEXT, caller, wrong))).to.have.property(
        '_tag',
        'Invalid',
      )
      expect(await fail(byEmail(wrong.oldPassword, wrong.newPassword))).to.have.property('_tag', 'Invalid')
    }
  })

  it('when a second factor is due, then only a second step counts, and after 20 there is no first one', async () => {
    await start({ ...mailLinkSettings(), ...FACTOR_SETTINGS })
    const factor: EnrolledUser = await enrolUser(world.store, world.ada.id)
    const { completePasswordChange } = world.service
    if (completePasswordChange === undefined) throw new Error('there is no second step')
    const begin = async (from: string, to: string) => {
      const next = await succeed(byEmail(from, to))
      if (!isSome(next)) throw new Error('no second step follows')
      return next.value
    }
    const complete = (proof: string) =>
      completePasswordChange(CONTEXT, {
        proof,
        totp: factor.codeAt(world.clock.read()),
        recoveryCode: undefined,
      })
    for (let each = 0; each < 25; each += 1) await begin('old', 'never set')
    let password = 'old'
    for (let each = 1; each <= 19; each += 1) {
      world.clock.passSeconds(30) // the app makes its next code
      await succeed(complete(await begin(password, `${each}`)))
      password = `${each}`
    }
    world.clock.passSeconds(30)
    await succeed(complete(await begin('19', '20')))
    hashed = []
    expect(await fail(byEmail('20', '21'))).to.include({ tooMany: 'password_changes' })
    expect(hashed).to.deep.equal([])
    expect(await noticed()).to.equal(20)
  })

  it('when the limit is reached, then an operator can set the password', async () => {
    await changeTimes(20)
    await succeed(world.service.setPassword(CONTEXT, { user: world.ada.id, password: 'set' }))
    await world.signIn('set')
  })

  it('when the service mails no notices, then there is no limit', async () => {
    await start({})
    await changeTimes(30)
  })
})
