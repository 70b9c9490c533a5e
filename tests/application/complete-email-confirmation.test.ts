import { expect } from 'chai'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { enrolUser, userOf } from '../support/second-factors.ts'
import { type AccountLife, newAccountLife } from './account-life.ts'
import { CONTEXT } from './world.ts'

const NEW = 'ada@example.org'
const DAY = 86_400
const INVALID_TOKEN = { _tag: 'Invalid', problems: ['TokenInvalid'] }

const completeWith = (life: AccountLife, token: string) =>
  life.service.completeEmailConfirmation(CONTEXT, { token })

describe('completeEmailConfirmation, given a token for another e-mail', () => {
  let life: AccountLife
  let token: string
  beforeEach(async () => {
    life = await newAccountLife()
    token = await life.confirmationToken(NEW)
  })

  it('when it succeeds, then the e-mail is the verified e-mail of the user, and sessions continue', async () => {
    const session = await life.signIn()
    await succeed(completeWith(life, token))
    expect(await userOf(life.store, life.ada.id)).to.deep.include({
      email: NEW,
      emailVerified: true,
      passwordVersion: 1,
    })
    const caller = await succeed(life.service.authenticate(CONTEXT, 'getProfile', session.token))
    expect(caller.user.email).to.equal(NEW)
    const signIn = (email: string) => life.service.signIn(CONTEXT, life.caller, { email, password: 'old' })
    await succeed(signIn(NEW))
    expect((await fail(signIn(life.ada.email)))._tag).to.equal('Invalid')
    expect(await life.disagreements()).to.deep.equal([])
  })

  for (const [what, email, changed] of [
    ['another e-mail', NEW, true],
    ['the e-mail on record', 'Ada@Example.com', false],
  ] as const) {
    it(`when ${what} is confirmed, then the event names the user as actor, and nothing secret`, async () => {
      await succeed(completeWith(life, await life.confirmationToken(email)))
      const event = (await life.settledEvents()).at(-1)
      expect(event).to.deep.include({
        type: 'EmailConfirmed',
        subject: { kind: 'user', id: life.ada.id },
        actor: { kind: 'user', id: life.ada.id },
      })
      expect(event?.data).to.have.all.keys('token_id', 'changed')
      expect(event?.data).to.include({ changed })
      expect(JSON.stringify(event)).not.to.include('@')
    })
  }

  it('when the e-mail was taken meanwhile, then the token has ended', async () => {
    await succeed(life.service.registerUser(CONTEXT, { email: NEW.toUpperCase(), password: 'p' }, OPERATOR))
    expect(await fail(completeWith(life, token))).to.deep.equal(INVALID_TOKEN)
    expect(await userOf(life.store, life.ada.id)).to.deep.include({
      email: life.ada.email,
      emailVerified: false,
    })
    expect(await life.disagreements()).to.deep.equal([])
  })

  it('when a recovery token is sent, then it is refused, and the other way round', async () => {
    const recovery = await life.recoveryToken()
    expect(await fail(completeWith(life, recovery))).to.deep.equal(INVALID_TOKEN)
    const request = { token, newPassword: 'n', newPasswordCheck: 'n' }
    expect(await fail(life.service.completeRecovery(CONTEXT, request))).to.deep.equal(INVALID_TOKEN)
  })

  const ENDS: ReadonlyArray<readonly [how: string, end: () => Promise<unknown>]> = [
    ['a day is over', async () => life.clock.passSeconds(DAY)],
    ['it was used', () => succeed(completeWith(life, token))],
    [
      'the account is recovered',
      async () => {
        const request = { token: await life.recoveryToken(), newPassword: 'n', newPasswordCheck: 'n' }
        await succeed(life.service.completeRecovery(CONTEXT, request))
      },
    ],
    ['an operator ends all sessions', () => succeed(life.service.endUserSessions(CONTEXT, life.ada.email))],
    ['the user enrols a factor', () => enrolUser(life.store, life.ada.id)],
  ]
  for (const [how, end] of ENDS) {
    it(`when ${how}, then the token has ended`, async () => {
      await end()
      expect(await fail(completeWith(life, token))).to.deep.equal(INVALID_TOKEN)
      expect(await life.disagreements()).to.deep.equal([])
    })
  }
})
