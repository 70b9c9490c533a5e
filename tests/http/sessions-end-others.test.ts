import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { HashingRefused } from '../../application/ports/password-hasher.ts'
import type { LogEntry } from '../../application/ports/store.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { SESSIONS, sessionOf, sessionsAt } from '../support/sessions.ts'
import { gate } from '../support/waiting.ts'

const EVE = { email: 'eve@example.com', password: 'p' }
const DONE = { success: true, code: 100, message: 'All other sessions were ended.' }
const OLD = 'correct horse'
const noWait = async (): Promise<HashingRefused | undefined> => undefined

onMemory('POST /api/v1/profile/sessions/end_others', (stores) => {
  let running: RunningService
  let at: ReturnType<typeof sessionsAt>
  let turn: () => Promise<HashingRefused | undefined>
  beforeEach(async () => {
    turn = noWait
    running = await startService(
      await stores.fresh(),
      provide(Dependency.passwordHasher, () => plainHasher(() => turn())),
    )
    at = sessionsAt(running)
  })
  afterEach(() => running.stop())

  const ended = async (): Promise<ReadonlyArray<LogEntry>> =>
    succeed(running.service.store.readEvents({ after: 0, limit: 1_000, type: 'OtherSessionsEnded' }))
  const sessions = (count: number) => Promise.all(Array.from({ length: count }, () => running.userToken()))
  const statuses = (tokens: ReadonlyArray<string>) => Promise.all(tokens.map(at.status))
  const signIn = async (password = OLD) =>
    running.send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token: await running.applicationToken(),
      body: { email: running.user.email, password },
    })

  it('ends every other session of the user and keeps the current one', async () => {
    const [here = '', ...others] = await sessions(4)
    const answer = await at.endOthers(here)
    expect([answer.status, answer.body]).to.deep.equal([200, DONE])
    expect(await statuses([here, ...others])).to.deep.equal([200, 401, 401, 401])
    expect(await at.list(here)).to.have.lengthOf(1)
  })

  it('records the event under the response’s request id, with the remaining session', async () => {
    const [here = ''] = await sessions(2)
    const { headers } = await at.endOthers(here)
    const [entry, ...more] = await ended()
    expect(more).to.deep.equal([])
    expect(entry).to.deep.include({
      version: 1,
      subject: { kind: 'user', id: running.user.id },
      actor: { kind: 'user', id: running.user.id },
      request_id: headers['x-request-id'],
      data: { password_version: 2, session_id: await sessionOf(running, here) },
    })
  })

  it('keeps the password, later sessions and other users’ sessions', async () => {
    const token = await running.applicationToken()
    await running.send({ method: 'POST', path: '/api/v1/users', token, body: EVE })
    const eve = await running.userToken(EVE)
    const [here = ''] = await sessions(2)
    await at.endOthers(here)
    const later = await signIn()
    expect(later.status).to.equal(200)
    expect(await statuses([here, eve, later.body.token])).to.deep.equal([200, 200, 200])
  })

  it('succeeds without other sessions, repeatedly', async () => {
    const here = await running.userToken()
    for (let each = 0; each < 3; each += 1) expect((await at.endOthers(here)).status).to.equal(200)
    expect(await at.status(here)).to.equal(200)
    expect(
      (await ended()).map(({ data }) => 'password_version' in data && data.password_version),
    ).to.deep.equal([2, 3, 4])
  })

  it('from 50 sessions at once succeeds for one and ends all others', async () => {
    const tokens = await sessions(50)
    const answers = await Promise.all(tokens.map(at.endOthers))
    const won = answers.map(({ status }) => status)
    expect([...won].sort()).to.deep.equal([200, ...Array(49).fill(401)])
    expect(await statuses(tokens)).to.deep.equal(won)
    expect(await ended()).to.have.lengthOf(1)
  })

  it('50 times at once from one session records each success and keeps that session', async () => {
    const [here = '', other = ''] = await sessions(2)
    const answers = await Promise.all(Array.from({ length: 50 }, () => at.endOthers(here)))
    const done = answers.filter(({ status }) => status === 200)
    for (const { status, headers } of answers)
      if (status !== 200) expect([status, headers['retry-after']]).to.deep.equal([503, '1'])
    expect(done).to.not.have.lengthOf(0)
    expect((await ended()).map(({ request_id }) => request_id)).to.have.members(
      done.map(({ headers }) => headers['x-request-id']),
    )
    expect(await statuses([here, other])).to.deep.equal([200, 401])
  })

  it('ends the session of a sign-in that verified the password before', async () => {
    const here = await running.userToken()
    const held = gate()
    turn = held.pass
    const late = signIn()
    await held.reached
    turn = noWait
    expect((await at.endOthers(here)).status).to.equal(200)
    held.open()
    const { status, body } = await late
    expect([status, await at.status(body.token)]).to.deep.equal([200, 401])
  })

  const change = (token: string) =>
    running.send({
      method: 'POST',
      path: '/api/v1/profile/change_password',
      token,
      body: { old_password: OLD, new_password: 'new', new_password_check: 'new' },
    })

  it('succeeds together with a pending password change in the same session', async () => {
    const [here = '', other = ''] = await sessions(2)
    const held = gate()
    turn = held.pass
    const changing = change(here)
    await held.reached
    turn = noWait
    expect((await at.endOthers(here)).status).to.equal(200)
    held.open()
    expect((await changing).status).to.equal(200)
    expect(await statuses([here, other])).to.deep.equal([200, 401])
    expect((await signIn('new')).status).to.equal(200)
  })

  it('ends a session with a pending password change, and the password stays', async () => {
    const [here = '', other = ''] = await sessions(2)
    const held = gate()
    turn = held.pass
    const changing = change(other)
    await held.reached
    turn = noWait
    expect((await at.endOthers(here)).status).to.equal(200)
    held.open()
    expect((await changing).status).to.equal(401)
    expect([(await signIn()).status, (await signIn('new')).status]).to.deep.equal([200, 422])
  })

  it('ignores the body', async () => {
    const answer = await running.send({
      method: 'POST',
      path: `${SESSIONS}/end_others`,
      token: await running.userToken(),
      body: '{ no JSON at all',
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
    })
    expect([answer.status, answer.body]).to.deep.equal([200, DONE])
  })

  it('refuses an application token with 403 and a missing or ended token with 401, and changes nothing', async () => {
    const [here = '', other = '', dead = ''] = await sessions(3)
    await running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: dead })
    const refused = [
      await at.endOthers(await running.applicationToken()),
      await running.send({ method: 'POST', path: `${SESSIONS}/end_others` }),
      await at.endOthers(dead),
    ]
    expect(refused.map(({ status }) => status)).to.deep.equal([403, 401, 401])
    expect(await statuses([here, other])).to.deep.equal([200, 200])
    expect(await ended()).to.deep.equal([])
  })
})
