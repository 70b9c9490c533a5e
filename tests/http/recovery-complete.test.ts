import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { type AccountDesk, openDesk } from '../support/account-desk.ts'
import { capturedLog } from '../support/captured-log.ts'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { scopedToken } from '../support/scoped-token.ts'

const NEXT = 'battery staple'
const UNUSABLE = {
  code: 4,
  message: 'token is unknown, was used or has ended. Start a new recovery.',
  param: 'token',
}
const missing = (code: number, param: string) => ({ code, message: `${param} is missing or empty.`, param })
const DIFFERS = {
  code: 5,
  message: 'new_password_check differs from new_password.',
  param: 'new_password_check',
}

onMemory('POST /api/v1/users/recovery/complete', (stores) => {
  let desk: AccountDesk
  let token: string
  let lines: ReadonlyArray<string>
  beforeEach(async () => {
    const captured = capturedLog()
    lines = captured.lines
    desk = await openDesk(
      await stores.fresh(),
      provide(Dependency.log, () => captured.log),
    )
    token = await desk.recoveryToken()
  })
  afterEach(() => desk.stop())

  const expectEnded = async (of = token) => {
    const { status, body } = await desk.recover(of)
    expect([status, body.errors]).to.deep.equal([422, [UNUSABLE]])
  }

  it('sets the password, verifies the e-mail, ends every session and opens none', async () => {
    const session = await desk.userToken()
    const answer = await desk.recover(token)
    expect([answer.status, answer.body]).to.deep.equal([
      200,
      { success: true, code: 100, message: 'The new password was set.' },
    ])
    expect((await desk.profile(session)).status).to.equal(401)
    expect((await desk.signIn(desk.user.password)).status).to.equal(422)
    const signedIn = await desk.signIn(NEXT)
    expect(signedIn.body.email_verified).to.equal(true)
    expect((await desk.profile(signedIn.body.token)).body).to.deep.equal({
      email: desk.user.email,
      id: desk.user.id,
      email_verified: true,
    })
    const [event, ...more] = await eventsOf(desk.service.store, 'PasswordRecovered')
    expect(more).to.deep.equal([])
    expect(event).to.deep.include({
      subject: { kind: 'user', id: desk.user.id },
      actor: { kind: 'user', id: desk.user.id },
    })
    expect(await desk.disagreements()).to.deep.equal([])
  })

  it('clears the count of the account', async () => {
    expect(await desk.failToSignIn(4)).to.deep.equal([422, 422, 422, 429])
    expect((await desk.recover(token)).status).to.equal(200)
    expect((await desk.signIn(NEXT)).status).to.equal(200)
  })

  const WRONG: ReadonlyArray<readonly [what: string, body: object, errors: ReadonlyArray<object>]> = [
    ['no fields', {}, [missing(1, 'token'), missing(2, 'new_password'), missing(3, 'new_password_check')]],
    ['no token', { new_password: NEXT, new_password_check: NEXT }, [missing(1, 'token')]],
    [
      'an unknown token and another repetition',
      { token: 'ort_x', new_password: NEXT, new_password_check: 'x' },
      [UNUSABLE, DIFFERS],
    ],
    [
      'an unknown token and nothing else',
      { token: 'x' },
      [missing(2, 'new_password'), missing(3, 'new_password_check'), UNUSABLE],
    ],
  ]
  for (const [what, body, errors] of WRONG) {
    it(`with ${what} is 422 with all problems`, async () => {
      const answer = await desk.completeRecovery(body)
      expect([answer.status, answer.body.errors]).to.deep.equal([422, errors])
    })
  }

  it('with a good token and another repetition is 422, and the token lives on', async () => {
    const answer = await desk.completeRecovery({ token, new_password: NEXT, new_password_check: 'x' })
    expect([answer.status, answer.body.errors]).to.deep.equal([422, [DIFFERS]])
    expect((await desk.recover(token)).status).to.equal(200)
  })

  it('ignores an Authorization header, because the one-time token is the proof', async () => {
    const body = { token, new_password: NEXT, new_password_check: NEXT }
    const path = '/api/v1/users/recovery/complete'
    expect((await desk.send({ method: 'POST', path, token: 'forged', body })).status).to.equal(200)
  })

  const ENDS: ReadonlyArray<readonly [how: string, end: () => Promise<unknown>]> = [
    ['was used', () => desk.recover(token)],
    ['has expired', async () => desk.clock.passSeconds(3600)],
    ['is older than a password change', async () => desk.change(await desk.userToken(), desk.user.password)],
    [
      'is older than a password that an operator set',
      () => succeed(desk.service.setPassword(CONTEXT, { user: desk.user.email, password: NEXT })),
    ],
    [
      'is older than the end of all other sessions',
      async () =>
        desk.send({
          method: 'POST',
          path: '/api/v1/profile/sessions/end_others',
          token: await desk.userToken(),
        }),
    ],
    [
      'belongs to a user who was disabled and enabled',
      async () => {
        await succeed(desk.service.disableUser(CONTEXT, desk.user.email))
        await expectEnded()
        await succeed(desk.service.enableUser(CONTEXT, desk.user.email))
      },
    ],
    [
      'is older than the end of all sessions by an application',
      async () =>
        desk.send({
          method: 'POST',
          path: '/api/v1/users/end_sessions',
          token: await scopedToken(desk, 'users:manage'),
          body: { user_id: desk.user.id },
        }),
    ],
    [
      'belongs to a user who removed the own account',
      async () =>
        desk.send({
          method: 'POST',
          path: '/api/v1/profile/remove',
          token: await desk.userToken(),
          body: { password: desk.user.password },
        }),
    ],
    ['belongs to a removed user', () => succeed(desk.service.removeUser(CONTEXT, desk.user.email))],
    [
      'is older than another confirmed e-mail',
      async () => desk.completeConfirmation({ token: await desk.confirmationToken('ada@example.org') }),
    ],
    [
      'is older than another confirmed e-mail, after which the former one was confirmed again',
      async () => {
        for (const email of ['ada@example.org', desk.user.email])
          await desk.completeConfirmation({ token: await desk.confirmationToken(email) })
      },
    ],
    [
      'belongs to a revoked application',
      () => succeed(desk.service.revokeApplication(CONTEXT, desk.desk.id)),
    ],
  ]
  for (const [how, end] of ENDS) {
    it(`refuses a token that ${how}`, async () => {
      await end()
      await expectEnded()
      expect(await desk.disagreements()).to.deep.equal([])
    })
  }

  it('refuses a confirmation token', async () => {
    await expectEnded(await desk.confirmationToken())
  })

  it('lets exactly one of two concurrent uses win', async () => {
    const answers = await Promise.all([desk.recover(token, 'first'), desk.recover(token, 'second')])
    expect(answers.map(({ status }) => status)).to.have.members([200, 422])
    const winner = answers[0]?.status === 200 ? 'first' : 'second'
    const loser = answers[0]?.status === 200 ? 'second' : 'first'
    expect((await desk.signIn(winner)).status).to.equal(200)
    expect((await desk.signIn(loser)).status).to.equal(422)
    expect(await eventsOf(desk.service.store, 'PasswordRecovered')).to.have.lengthOf(1)
    expect(await desk.disagreements()).to.deep.equal([])
  })

  it('lets exactly one of two tokens win that are used concurrently', async () => {
    const other = await desk.recoveryToken()
    const answers = await Promise.all([desk.recover(token), desk.recover(other)])
    expect(answers.map(({ status }) => status)).to.have.members([200, 422])
  })

  it('never shows the token in the service log, the event log or the store', async () => {
    await desk.recover(token.replace(/.$/, 'x'))
    await desk.recover(token)
    await desk.recover(token)
    const events = await succeed(desk.service.store.readEvents({ after: 0, limit: 1000 }))
    const rows = await succeed(desk.service.store.listRows({ table: 'one_time_tokens', after: '', limit: 9 }))
    expect(rows).to.have.lengthOf(1)
    const seen = JSON.stringify([lines, events, rows])
    expect(seen).not.to.include(token.slice(4))
    expect(JSON.stringify([lines, events])).not.to.include(desk.user.email)
    expect(JSON.stringify(rows)).not.to.include(desk.user.email)
  })
})
