import { expect } from 'chai'
import type { EmailConfirmationStartRequest } from '../../domain/email-confirmation.ts'
import { OPERATOR } from '../support/operator.ts'
import { fail, succeed } from '../support/outcome.ts'
import { type EnrolledUser, enrolUser, userOf } from '../support/second-factors.ts'
import { type AccountLife, newAccountLife } from './account-life.ts'
import { CONTEXT } from './world.ts'

const NEW = 'ada@example.org'

describe('startEmailConfirmation, given that Ada has an authenticator app', () => {
  let life: AccountLife
  beforeEach(async () => {
    life = await newAccountLife()
  })

  const enrol = () => enrolUser(life.store, life.ada.id)
  const start = (userToken: string | undefined, request: Partial<EmailConfirmationStartRequest> = {}) =>
    life.service.startEmailConfirmation(CONTEXT, life.deskCaller, {
      userId: life.ada.id,
      email: NEW,
      password: 'old',
      userToken,
      ...request,
    })
  const complete = (token: string) => life.service.completeEmailConfirmation(CONTEXT, { token })
  /** Signs a user with an app in, and returns the token. */
  const tokenOf = async (app: EnrolledUser, credentials: { email: string; password: string } = life.ada) => {
    const due = await fail(life.service.signIn(CONTEXT, life.caller, credentials))
    const pending = due._tag === 'SecondFactorDue' ? due.token : ''
    const proof = { token: pending, totp: app.codeAt(life.clock.read()) }
    return (await succeed(life.service.completeSignIn(CONTEXT, life.caller, proof))).token
  }
  const NOT_FRESH = { _tag: 'Invalid', problems: ['UserTokenNotFresh'] }

  it('with a fresh user token, then it succeeds, and the token changes the e-mail', async () => {
    const { token } = await succeed(start(await tokenOf(await enrol())))
    await succeed(complete(token))
    expect((await userOf(life.store, life.ada.id)).email).to.equal(NEW)
  })

  const REFUSED: ReadonlyArray<
    readonly [what: string, token: (life: AccountLife) => Promise<string | undefined>]
  > = [
    ['no user token', async () => undefined],
    ['garbage', async () => 'v4.public.garbage'],
    [
      'an application token',
      async () => (await succeed(life.service.issueApplicationToken(CONTEXT, life.desk))).token,
    ],
    [
      'a token of another user',
      async () => {
        const grace = { email: 'grace@example.com', password: 'hers' }
        const { id } = await succeed(life.service.registerUser(CONTEXT, grace, OPERATOR))
        return tokenOf(await enrolUser(life.store, id), grace)
      },
    ],
  ]
  for (const [what, token] of REFUSED) {
    it(`with ${what}, then the password alone does not move the mailbox, and the refusal is noted`, async () => {
      await enrol()
      expect(await fail(start(await token(life)))).to.deep.equal(NOT_FRESH)
      const { type, data } = (await life.settledEvents()).at(-1) ?? {}
      expect([type, data]).to.deep.equal(['EmailConfirmationRefused', { codes: [8] }])
    })
  }

  it('with a token that has expired, though its session lives and is fresh, then it is refused', async () => {
    const environment = { USER_TOKEN_TTL: '60', SESSION_IDLE_TTL: '3600', SESSION_TTL: '3600' }
    life = await newAccountLife({ environment })
    const token = await tokenOf(await enrol())
    life.clock.passSeconds(60 + 5)
    expect(await fail(start(token))).to.deep.equal(NOT_FRESH)
  })

  it('with the token of an ended session, or of one that is no longer fresh, then it is refused', async () => {
    const app = await enrol()
    const token = await tokenOf(app)
    life.clock.passSeconds(600)
    await succeed(start(token))
    life.clock.passSeconds(1)
    expect(await fail(start(token))).to.deep.equal(NOT_FRESH)
    const ended = await tokenOf(app)
    await succeed(
      life.service.signOut(CONTEXT, await succeed(life.service.authenticate(CONTEXT, 'signOut', ended))),
    )
    expect(await fail(start(ended))).to.deep.equal(NOT_FRESH)
  })

  it('with a wrong password, then only that is told, so that the app stays unknown', async () => {
    await enrol()
    for (const userToken of [undefined, 'v4.public.garbage'])
      expect(await fail(start(userToken, { password: 'wrong' }))).to.deep.equal({
        _tag: 'Invalid',
        problems: ['PasswordWrong'],
      })
  })

  it('of the e-mail on record, then it needs no user token', async () => {
    await enrol()
    await succeed(start(undefined, { email: life.ada.email, password: undefined }))
  })

  it('when the app is enrolled after the start, then the one-time token has ended', async () => {
    const { token } = await succeed(start(undefined))
    await enrol()
    expect(await fail(complete(token))).to.deep.equal({ _tag: 'Invalid', problems: ['TokenInvalid'] })
  })
})
