import { expect } from 'chai'
import { type AccountDesk, openDesk, RECOVERY } from '../support/account-desk.ts'
import { eventsOf } from '../support/events.ts'
import { onEveryStore } from '../support/every-store.ts'
import { heldCommits } from '../support/held-commits.ts'
import type { Answer } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { barrier } from '../support/waiting.ts'

const NEXT = 'battery staple'
const OTHER_EMAIL = 'ada@example.org'

onEveryStore('requests of an account’s life that race', (stores) => {
  let desk: AccountDesk
  let manager: string
  /** The user’s session. */
  let session: string
  const { front, hold, overtake, release } = heldCommits()

  beforeEach(async () => {
    desk = await openDesk({}, ...(await stores.behind(front)))
    manager = await scopedToken(desk, 'users:manage')
    session = await desk.userToken()
  })
  afterEach(async () => {
    release()
    await desk.stop()
  })

  const post = (path: string, token: string, body: object = {}) =>
    desk.send({ method: 'POST', path, token, body })
  const change = (password: string) =>
    post('/api/v1/profile/change_password', session, {
      old_password: desk.user.password,
      new_password: password,
      new_password_check: password,
    })
  const removeOwn = () => post('/api/v1/profile/remove', session, { password: desk.user.password })
  const manage = (action: string) => post(`/api/v1/users/${action}`, manager, { user_id: desk.user.id })

  const done = async (answer: Promise<Answer>) => expect((await answer).status).to.equal(200)

  /** What ends every one-time token of the user. */
  const ENDS: ReadonlyArray<readonly [what: string, end: () => Promise<unknown>]> = [
    ['a password change', () => done(change('changed'))],
    ['a removal by the user', () => done(removeOwn())],
    ['a removal by an application', () => done(manage('remove'))],
    ['disabling', () => done(manage('disable'))],
    [
      'a password of an operator',
      () => succeed(desk.service.setPassword(CONTEXT, { user: desk.user.email, password: 'operator’s' })),
    ],
    [
      'another confirmed e-mail',
      async () => done(desk.completeConfirmation({ token: await desk.confirmationToken('ada@example.net') })),
    ],
    [
      'the revocation of its application',
      () => succeed(desk.service.revokeApplication(CONTEXT, desk.desk.id)),
    ],
    ['another recovery', async () => done(desk.recover(await desk.recoveryToken(), 'recovered'))],
  ]

  for (const [what, end] of ENDS) {
    it(`a recovery that decided before ${what} finds its token ended`, async () => {
      const token = await desk.recoveryToken()
      const late = { late: () => desk.recover(token), writes: 'PasswordRecovered' } as const
      const { status, body } = await overtake(late, end)
      expect([status, body.errors]).to.deep.equal([
        422,
        [
          {
            code: 4,
            message: 'token is unknown, was used or has ended. Start a new recovery.',
            param: 'token',
          },
        ],
      ])
      expect((await desk.signIn(NEXT)).status).to.equal(422)
      expect(await desk.disagreements()).to.deep.equal([])
    })

    it(`a confirmation that decided before ${what} finds its token ended`, async () => {
      const token = await desk.confirmationToken(OTHER_EMAIL)
      const late = { late: () => desk.completeConfirmation({ token }), writes: 'EmailConfirmed' } as const
      const { status, body } = await overtake(late, end)
      expect([status, body.errors?.map(({ code }: { code: number }) => code)]).to.deep.equal([422, [2]])
      expect((await desk.register(OTHER_EMAIL, 'x')).status).to.equal(201) // the e-mail is free
      expect(await desk.disagreements()).to.deep.equal([])
    })
  }

  it('a confirmation that decided before another user registered its e-mail finds its token ended', async () => {
    const token = await desk.confirmationToken(OTHER_EMAIL)
    const late = { late: () => desk.completeConfirmation({ token }), writes: 'EmailConfirmed' } as const
    const answer = await overtake(late, () => desk.register(OTHER_EMAIL, 'x'))
    expect(answer.status).to.equal(422)
    expect((await desk.profile(session)).body.email).to.equal(desk.user.email)
    expect(await desk.disagreements()).to.deep.equal([])
  })

  const recovered = async () => done(desk.recover(await desk.recoveryToken()))

  for (const [what, writes, late, status] of [
    ['a password change', 'PasswordChanged', () => change('changed'), 422], // the old password is wrong
    ['a removal by the user', 'UserRemoved', removeOwn, 401],
    ['a removal by an application', 'UserRemoved', () => manage('remove'), 200],
    ['disabling', 'UserDisabled', () => manage('disable'), 200],
    ['the end of all sessions', 'SessionsEnded', () => manage('end_sessions'), 200], // ends the new ones, too
  ] as const) {
    it(`${what} that decided before a recovery was completed is answered ${status}`, async () => {
      expect((await overtake({ late, writes }, recovered)).status).to.equal(status)
      expect((await desk.profile(session)).status).to.equal(401)
      const isUsable = writes !== 'UserDisabled' && (writes !== 'UserRemoved' || status === 401)
      expect((await desk.signIn(NEXT)).status).to.equal(isUsable ? 200 : 422)
      expect((await desk.signIn('changed')).status).to.equal(422)
      expect(await desk.disagreements()).to.deep.equal([])
    })
  }

  it('a sign-in that verified the password before a recovery was completed yields no live session', async () => {
    const late = { late: () => desk.signIn(desk.user.password), writes: 'UserSignedIn' } as const
    const { status, body } = await overtake(late, recovered)
    if (status === 200) expect((await desk.profile(body.token)).status).to.equal(401)
    else expect(status).to.equal(422)
    expect(await desk.disagreements()).to.deep.equal([])
  })

  const confirmed = async () =>
    done(desk.completeConfirmation({ token: await desk.confirmationToken(OTHER_EMAIL) }))

  for (const [what, writes, late] of [
    ['a password change', 'PasswordChanged', () => change(NEXT)],
    ['a removal by the user', 'UserRemoved', removeOwn],
  ] as const) {
    it(`${what} that decided before an e-mail was confirmed succeeds`, async () => {
      expect((await overtake({ late, writes }, confirmed)).status).to.equal(200)
      expect(await eventsOf(desk.service.store, writes)).to.have.lengthOf(1)
      expect(await desk.disagreements()).to.deep.equal([])
    })
  }

  it('twenty uses of one recovery token that all decided before the first write: one wins', async () => {
    const token = await desk.recoveryToken()
    hold('PasswordRecovered', barrier(20))
    const passwords = Array.from({ length: 20 }, (_, index) => `new ${index}`)
    const answers = await Promise.all(passwords.map((password) => desk.recover(token, password)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(19).fill(422)])
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? ''
    expect((await desk.signIn(winner)).status).to.equal(200)
    expect(await eventsOf(desk.service.store, 'PasswordRecovered')).to.have.lengthOf(1)
    expect(await desk.disagreements()).to.deep.equal([])
  })

  it('twenty uses of one confirmation token that all decided before the first write: one wins', async () => {
    const token = await desk.confirmationToken(OTHER_EMAIL)
    hold('EmailConfirmed', barrier(20))
    const answers = await Promise.all(Array.from({ length: 20 }, () => desk.completeConfirmation({ token })))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(19).fill(422)])
    expect(await eventsOf(desk.service.store, 'EmailConfirmed')).to.have.lengthOf(1)
    expect(await desk.disagreements()).to.deep.equal([])
  })

  it('two users who confirm one e-mail and both decided before the first write: one gets it', async () => {
    const bob = await desk.register('bob@example.com', 'bobs')
    const started = await desk.startConfirmation({
      user_id: bob.body.id,
      email: OTHER_EMAIL,
      password: 'bobs',
    })
    const tokens = [await desk.confirmationToken(OTHER_EMAIL), started.body.token]
    hold('EmailConfirmed', barrier(2))
    const answers = await Promise.all(tokens.map((token) => desk.completeConfirmation({ token })))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422])
    expect(await eventsOf(desk.service.store, 'EmailConfirmed')).to.have.lengthOf(1)
    expect(await desk.disagreements()).to.deep.equal([])
  })

  for (const [what, email] of [
    ['an account', 'ada@example.com'],
    ['no account', 'eve@example.com'],
  ] as const) {
    it(`twelve starts of a recovery for the e-mail of ${what}: five succeed`, async () => {
      const starts = Array.from({ length: 12 }, () => post(RECOVERY, desk.desk.token, { email }))
      const statuses = (await Promise.all(starts)).map(({ status }) => status)
      expect(statuses.sort()).to.deep.equal([...Array(5).fill(200), ...Array(7).fill(429)])
    })
  }
})
