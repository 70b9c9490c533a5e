import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { HashingRefused } from '../../application/ports/password-hasher.ts'
import { onEveryStore } from '../support/every-store.ts'
import type { Answer } from '../support/http-client.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { barrier, gate } from '../support/waiting.ts'

const OLD = 'correct horse'
const CODE_4 = [{ code: 4, param: 'old_password', message: 'old_password is not the current password.' }]

onEveryStore('concurrent password changes', (stores) => {
  const atOnce = Array.from({ length: 50 }, (_, index) => index)
  const noWait = async (): Promise<HashingRefused | undefined> => undefined
  let turn: (work: 'hash' | 'verify') => Promise<HashingRefused | undefined>
  let running: RunningService

  beforeEach(async () => {
    turn = noWait
    running = await startService(
      await stores.fresh(),
      provide(Dependency.passwordHasher, () => plainHasher((work) => turn(work))),
    )
  })
  afterEach(() => running.stop())

  const change = (token: string, index: number) =>
    running.send({
      method: 'POST',
      path: '/api/v1/profile/change_password',
      token,
      body: { old_password: OLD, new_password: `new ${index}`, new_password_check: `new ${index}` },
    })
  const signIn = async (password: string, applicationToken: string) =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: applicationToken,
      body: { email: 'ada@example.com', password },
    })
  const profileStatus = async (token: string) =>
    (await running.send({ method: 'GET', path: '/api/v1/profile', token })).status

  const expectOneWinner = async (answers: ReadonlyArray<Answer>) => {
    const winners = atOnce.filter((index) => answers[index]?.status === 200)
    const losers = answers.filter(({ status }) => status !== 200)
    expect(winners).to.have.length(1)
    expect(losers.map(({ status }) => status)).to.deep.equal(Array(49).fill(422))
    expect(losers.map(({ body }) => body.errors)).to.deep.equal(Array(49).fill(CODE_4))
    const changes = await succeed(
      running.service.store.readEvents({ after: 0, limit: 100, type: 'PasswordChanged' }),
    )
    expect(changes).to.have.length(1)
    const token = await running.applicationToken()
    expect((await signIn(`new ${winners[0]}`, token)).status).to.equal(200)
    return winners[0]
  }

  it('on one session: one succeeds, and all others fail with a wrong old password', async () => {
    const token = await running.userToken()
    turn = barrier(50).pass
    await expectOneWinner(await Promise.all(atOnce.map((index) => change(token, index))))
    expect(await profileStatus(token)).to.equal(200)
  })

  it('on fifty sessions: one succeeds and stays signed in; all others fail and end', async () => {
    const tokens = await Promise.all(atOnce.map(() => running.userToken()))
    turn = barrier(50).pass
    const winner = await expectOneWinner(
      await Promise.all(tokens.map((token, index) => change(token, index))),
    )
    const statuses = await Promise.all(tokens.map((token) => profileStatus(token)))
    expect(statuses).to.deep.equal(atOnce.map((index) => (index === winner ? 200 : 401)))
  })

  it('end the session of a sign-in that verified the old password before the change', async () => {
    const token = await running.userToken()
    const applicationToken = await running.applicationToken()
    const held = gate(10)
    turn = held.pass
    const signIns = Array.from({ length: 10 }, () => signIn(OLD, applicationToken))
    await held.reached
    turn = noWait
    expect((await change(token, 1)).status).to.equal(200)
    held.open()
    const answers = await Promise.all(signIns)
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(10).fill(200))
    expect(await Promise.all(answers.map(({ body }) => profileStatus(body.token)))).to.deep.equal(
      Array(10).fill(401),
    )
    expect(await profileStatus(token)).to.equal(200)
  })

  it('are refused without effect when their session is signed out meanwhile', async () => {
    const token = await running.userToken()
    const held = gate()
    turn = (work) => (work === 'hash' ? held.pass() : noWait())
    const changing = change(token, 1)
    await held.reached
    turn = noWait
    const signedOut = await running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token })
    expect(signedOut.status).to.equal(200)
    held.open()
    const answer = await changing
    expect(answer.status).to.equal(401)
    expect(answer.headers['www-authenticate']).to.equal(
      'Bearer realm="portcullis", error="invalid_token", error_description="The token is not valid"',
    )
    expect((await signIn(OLD, await running.applicationToken())).status).to.equal(200)
    expect(
      await succeed(running.service.store.readEvents({ after: 0, limit: 10, type: 'PasswordChanged' })),
    ).to.deep.equal([])
  })
})
