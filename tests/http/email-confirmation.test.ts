import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import { type AccountDesk, CONFIRMATION, openDesk } from '../support/account-desk.ts'
import { capturedLog } from '../support/captured-log.ts'
import { eventsOf } from '../support/events.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { statusesOf } from '../support/throttled-service.ts'

const DAY = 86_400
const NEW = 'ada@example.org'
const NOBODY = '0192f1a6-0000-7000-8000-000000000000'

onMemory('POST /api/v1/users/email_confirmation', (stores) => {
  let desk: AccountDesk
  beforeEach(async () => {
    desk = await openDesk(await stores.fresh())
  })
  afterEach(() => desk.stop())

  const start = (body: object) => desk.startConfirmation({ user_id: desk.user.id, ...body })
  const codesOf = async (body: object) => {
    const { status, body: answer } = await desk.startConfirmation(body)
    expect(status).to.equal(422)
    return answer.errors.map(({ code, param }: { code: number; param: string }) => `${code} ${param}`)
  }

  it('for the e-mail on record needs no password, and replaces nothing', async () => {
    const { status, body } = await start({ email: desk.user.email })
    expect(status).to.equal(200)
    expect(body).to.have.all.keys('token', 'expires_in', 'notify')
    expect(body).to.include({ expires_in: DAY, notify: null })
    expect(body.token).to.match(/^oct_[0-9A-Za-z]{49}$/)
  })

  it('for another e-mail needs the password, and says which e-mail to tell too', async () => {
    const { status, body } = await start({ email: NEW, password: desk.user.password })
    expect([status, body.notify]).to.deep.equal([200, desk.user.email])
    expect((await desk.profile(await desk.userToken())).body.email).to.equal(desk.user.email)
  })

  it('reports all problems together', async () => {
    await desk.register('bob@example.com', 'bobs password')
    const user_id = desk.user.id
    const password = 'wrong'
    for (const [body, codes] of [
      [{}, ['1 user_id', '2 email', '3 password']],
      [{ user_id, email: NEW }, ['3 password']],
      [{ user_id: NOBODY, email: NEW }, ['3 password', '4 user_id']],
      [{ user_id: NOBODY, email: NEW, password }, ['4 user_id']],
      [{ user_id, email: 'malformed', password: desk.user.password }, ['5 email']],
      [{ user_id, email: 'BOB@example.com', password: desk.user.password }, ['6 email']],
      [{ user_id, email: 'bob@example.com', password }, ['6 email', '7 password']],
    ] as const)
      expect(await codesOf(body), JSON.stringify(body)).to.deep.equal(codes)
  })

  it('does not know a disabled user', async () => {
    await succeed(desk.service.disableUser(CONTEXT, desk.user.email))
    const { id: user_id, email, password } = desk.user
    expect(await codesOf({ user_id, email: NEW, password })).to.deep.equal(['4 user_id'])
    expect(await codesOf({ user_id, email }), 'the own e-mail').to.deep.equal(['3 password', '4 user_id'])
    expect(await codesOf({ user_id: NOBODY, email, password })).to.deep.equal(['4 user_id', '6 email'])
  })

  it('counts and notes a wrong password as a failed sign-in', async () => {
    const guess = () => start({ email: NEW, password: 'wrong' })
    expect(await statusesOf(4, guess)).to.deep.equal([422, 422, 422, 429])
    expect((await desk.signIn(desk.user.password)).status).to.equal(429)
    desk.clock.passSeconds(30)
    expect((await start({ email: NEW, password: desk.user.password })).status).to.equal(200)
    expect((await desk.signIn(desk.user.password)).status).to.equal(200)
    const noted = await eventsOf(desk.service.store, 'SignInRefused')
    expect(noted.slice(0, 3).map(({ subject, actor, data }) => ({ subject, actor, data }))).to.deep.equal(
      Array(3).fill({
        subject: { kind: 'user', id: desk.user.id },
        actor: { kind: 'application', id: desk.desk.id },
        data: { reason: 'wrong_password' },
      }),
    )
  })

  it('takes five starts an hour for one e-mail, then answers 429 until the hour is over', async () => {
    const again = () => start({ email: desk.user.email })
    expect(await statusesOf(5, again)).to.deep.equal([200, 200, 200, 200, 200])
    desk.clock.passSeconds(3_599)
    const refused = await again()
    expect([refused.status, refused.headers['retry-after'], refused.body.message]).to.deep.equal([
      429,
      '1',
      'Too many confirmations of this e-mail were started. Try again after the number of seconds in Retry-After.',
    ])
    desk.clock.passSeconds(1)
    expect((await again()).status).to.equal(200)
  })

  it('requires an application token with the scope users:confirm_email', async () => {
    const body = { user_id: desk.user.id, email: desk.user.email }
    const statusOf = async (token: string) =>
      (await desk.send({ method: 'POST', path: CONFIRMATION, token, body })).status
    expect((await desk.send({ method: 'POST', path: CONFIRMATION, body })).status).to.equal(401)
    expect(await statusOf(await scopedToken(desk, 'users:recover'))).to.equal(403)
    expect(await statusOf(await desk.userToken())).to.equal(403)
    expect(await statusOf(await scopedToken(desk, 'users:confirm_email'))).to.equal(200)
  })
})

onMemory('POST /api/v1/users/email_confirmation/complete', (stores) => {
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
    token = await desk.confirmationToken(NEW)
  })
  afterEach(() => desk.stop())

  const confirm = (of = token) => desk.completeConfirmation({ token: of })
  const expectEnded = async (of = token) => {
    const { status, body } = await confirm(of)
    expect([status, body.errors]).to.deep.equal([
      422,
      [
        {
          code: 2,
          message:
            'token is unknown, was used or has ended, or its e-mail was taken. Start a new confirmation.',
          param: 'token',
        },
      ],
    ])
  }

  it('makes the e-mail the verified e-mail of the user, and sessions continue', async () => {
    const session = await desk.userToken()
    const answer = await confirm()
    expect([answer.status, answer.body]).to.deep.equal([
      200,
      { success: true, code: 100, message: 'The e-mail was confirmed.' },
    ])
    expect((await desk.profile(session)).body).to.deep.equal({
      email: NEW,
      id: desk.user.id,
      email_verified: true,
    })
    expect((await desk.signIn(desk.user.password, NEW)).body.email_verified).to.equal(true)
    expect((await desk.signIn(desk.user.password)).status).to.equal(422)
    const [event, ...more] = await eventsOf(desk.service.store, 'EmailConfirmed')
    expect(more).to.deep.equal([])
    expect(event).to.deep.include({
      subject: { kind: 'user', id: desk.user.id },
      actor: { kind: 'user', id: desk.user.id },
    })
    expect(event?.data).to.include({ changed: true })
    expect(await desk.disagreements()).to.deep.equal([])
  })

  it('frees the replaced e-mail', async () => {
    await confirm()
    expect((await desk.register(desk.user.email, 'a new person')).status).to.equal(201)
  })

  it('is 422 with code 1 without a token', async () => {
    const { status, body } = await desk.completeConfirmation({})
    expect([status, body.errors]).to.deep.equal([
      422,
      [{ code: 1, message: 'token is missing or empty.', param: 'token' }],
    ])
  })

  const ENDS: ReadonlyArray<readonly [how: string, end: () => Promise<unknown>]> = [
    ['was used', () => confirm()],
    ['has expired', async () => desk.clock.passSeconds(DAY)],
    ['has an e-mail that was taken meanwhile', () => desk.register(NEW.toUpperCase(), 'another person')],
    ['is older than a recovery', async () => desk.recover(await desk.recoveryToken())],
    ['is older than a password change', async () => desk.change(await desk.userToken(), desk.user.password)],
    ['belongs to a disabled user', () => succeed(desk.service.disableUser(CONTEXT, desk.user.email))],
    ['belongs to a removed user', () => succeed(desk.service.removeUser(CONTEXT, desk.user.email))],
    [
      'is older than a third confirmed e-mail',
      async () => confirm(await desk.confirmationToken('ada@example.net')),
    ],
    [
      'is older than a third confirmed e-mail, after which the first one was confirmed again',
      async () => {
        for (const email of ['ada@example.net', desk.user.email])
          await confirm(await desk.confirmationToken(email))
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

  it('refuses a recovery token and an unknown one', async () => {
    await expectEnded(await desk.recoveryToken())
    await expectEnded('oct_unknown')
  })

  it('lets exactly one of two concurrent uses win', async () => {
    const answers = await Promise.all([confirm(), confirm()])
    expect(answers.map(({ status }) => status)).to.have.members([200, 422])
    expect(await eventsOf(desk.service.store, 'EmailConfirmed')).to.have.lengthOf(1)
  })

  it('gives an e-mail to exactly one of two users who confirm it concurrently', async () => {
    const { body: bob } = await desk.register('bob@example.com', 'bobs password')
    const { body: other } = await desk.startConfirmation({
      user_id: bob.id,
      email: NEW,
      password: 'bobs password',
    })
    const answers = await Promise.all([confirm(), confirm(other.token)])
    expect(answers.map(({ status }) => status)).to.have.members([200, 422])
    expect(await desk.disagreements()).to.deep.equal([])
  })

  it('never shows the token or the e-mail in the service log or the event log', async () => {
    await confirm(token.replace(/.$/, 'x'))
    await confirm()
    await confirm()
    const events = await succeed(desk.service.store.readEvents({ after: 0, limit: 1000 }))
    const rows = await succeed(desk.service.store.listRows({ table: 'one_time_tokens', after: '', limit: 9 }))
    expect(JSON.stringify([lines, events, rows])).not.to.include(token.slice(4))
    for (const secret of [NEW, desk.user.email]) {
      expect(JSON.stringify([lines, events])).not.to.include(secret)
      expect(JSON.stringify(rows)).not.to.include(secret)
    }
  })
})
