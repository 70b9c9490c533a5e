import { expect } from 'chai'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Environment } from '../../adapters/config/settings.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { fail, succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { listed } from '../testkit/outbox/steps.ts'
import { CONTEXT, newWorld, type World } from './world.ts'

type Changing = TaskEither<Readonly<{ _tag: string }>, unknown>

const HOUR = 3_600
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
  const change = async (oldPassword: string, newPassword: string): Promise<Changing> => {
    const { caller } = await world.signIn(oldPassword)
    return world.service.changePassword(CONTEXT, caller, fields(oldPassword, newPassword))
  }
  /** Ada's password is then the number of changes. */
  const changeTimes = async (times: number) => {
    await succeed(await change('old', '1'))
    for (let each = 1; each < times; each += 1) await succeed(await change(`${each}`, `${each + 1}`))
  }
  const noticed = async () =>
    (await listed(world.outbox)).filter(({ kind }) => kind === 'password_changed').length
  const refusals = async () =>
    (await world.settledEvents()).filter(({ type }) => type === 'PasswordChangeRefused')

  it('when she made 20 and makes another one, then nothing is hashed, changed or mailed', async () => {
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
      expect(await fail(await change('old', ''))).to.have.property('_tag', 'Invalid')
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
    }
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
