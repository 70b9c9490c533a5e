import { expect } from 'chai'
import type { LogEntry } from '../../application/ports/store.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { SESSIONS, sessionOf, sessionsAt } from '../support/sessions.ts'

const MISSING = {
  success: false,
  code: 422,
  message: 'Some fields are missing or wrong; see errors.',
  errors: [{ code: 1, message: 'session_id is missing or empty.', param: 'session_id' }],
}
const NOT_YOURS = {
  ...MISSING,
  errors: [{ code: 2, message: 'session_id is not a live session of this user.', param: 'session_id' }],
}
const EVE = { email: 'eve@example.com', password: 'p' }

onMemory('POST /api/v1/profile/sessions/end', (stores) => {
  let running: RunningService
  let at: ReturnType<typeof sessionsAt>
  let here: string
  before(async () => {
    running = await startService(await stores.fresh())
    at = sessionsAt(running)
    const token = await running.applicationToken()
    await running.send({ method: 'POST', path: '/api/v1/users', token, body: EVE })
    here = await running.userToken()
  })
  after(() => running.stop())

  const idOf = (token: string) => sessionOf(running, token)
  const log = (): Promise<ReadonlyArray<LogEntry>> =>
    succeed(running.service.store.readEvents({ after: 0, limit: 10_000 }))
  const everything = async () => ({
    log: await log(),
    users: await succeed(running.service.store.listRows({ table: 'users', after: '', limit: 1_000 })),
    sessions: await succeed(running.service.store.listRows({ table: 'sessions', after: '', limit: 1_000 })),
  })

  it('ends only the given session and returns the operation result', async () => {
    const [there, elsewhere] = [await running.userToken(), await running.userToken()]
    const answer = await at.end(here, { session_id: await idOf(there) })
    expect(answer.status).to.equal(200)
    expect(answer.body).to.deep.equal({ success: true, code: 100, message: 'The session was ended.' })
    expect(await Promise.all([here, there, elsewhere].map(at.status))).to.deep.equal([200, 401, 200])
  })

  it('ends the current session, like a sign-out', async () => {
    const token = await running.userToken()
    expect((await at.end(token, { session_id: await idOf(token) })).status).to.equal(200)
    expect(await at.status(token)).to.equal(401)
    expect(await at.status(here)).to.equal(200)
  })

  it('records a sign-out by the user under the response’s request id', async () => {
    const session_id = await idOf(await running.userToken())
    const before = (await log()).length
    const { headers } = await at.end(here, { session_id })
    const [entry, ...more] = (await log()).slice(before)
    expect(more).to.deep.equal([])
    expect(entry).to.deep.include({
      type: 'UserSignedOut',
      subject: { kind: 'user', id: running.user.id },
      actor: { kind: 'user', id: running.user.id },
      request_id: headers['x-request-id'],
      data: { session_id },
    })
  })

  for (const body of [
    undefined,
    {},
    { session_id: '' },
    { session_id: null },
    { session_id: 7 },
    [],
    'text',
  ]) {
    it(`treats session_id as missing in ${JSON.stringify(body) ?? 'no body'}`, async () => {
      const before = await everything()
      const answer = await running.send({
        method: 'POST',
        path: `${SESSIONS}/end`,
        token: here,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      })
      expect([answer.status, answer.body]).to.deep.equal([422, MISSING])
      expect(await everything()).to.deep.equal(before)
    })
  }

  const NOT_THEIRS: Readonly<Record<string, () => Promise<string>>> = {
    unknown: async () => '019b7d3f-0000-7000-8000-000000000001',
    'no id at all': async () => `' OR 1=1 --\0`,
    "another user's": async () => idOf(await running.userToken(EVE)),
    'signed out already': async () => {
      const token = await running.userToken()
      const id = await idOf(token)
      await running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token })
      return id
    },
    'ended already': async () => {
      const id = await idOf(await running.userToken())
      await at.end(here, { session_id: id })
      return id
    },
    'left behind': async () => {
      const id = await idOf(await running.userToken())
      await at.endOthers(here)
      return id
    },
  }
  it('returns the same bytes for every id that is not a live session of the user, and changes nothing', async () => {
    const answers = new Set<string>()
    for (const [what, session] of Object.entries(NOT_THEIRS)) {
      const session_id = await session()
      const before = await everything()
      const { status, body, headers } = await at.end(here, { session_id })
      expect([status, body], what).to.deep.equal([422, NOT_YOURS])
      const { date: _, 'x-request-id': __, ...rest } = headers
      answers.add(JSON.stringify([rest, body]))
      expect(await everything(), what).to.deep.equal(before)
    }
    expect(answers.size).to.equal(1)
  })

  it('keeps the session of another user', async () => {
    const token = await running.userToken(EVE)
    await at.end(here, { session_id: await idOf(token) })
    expect(await at.status(token)).to.equal(200)
  })

  it('50 times at once on one session succeeds once and records one event', async () => {
    const session_id = await idOf(await running.userToken())
    const before = (await log()).length
    const answers = await Promise.all(Array.from({ length: 50 }, () => at.end(here, { session_id })))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, ...Array(49).fill(422)])
    expect((await log()).slice(before).map(({ type }) => type)).to.deep.equal(['UserSignedOut'])
  })

  it('50 times at once on the current session succeeds once, and all others fail', async () => {
    const token = await running.userToken()
    const session_id = await idOf(token)
    const before = (await log()).length
    const answers = await Promise.all(Array.from({ length: 50 }, () => at.end(token, { session_id })))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses[0]).to.equal(200)
    expect(statuses.slice(1).filter((status) => status !== 401 && status !== 422)).to.deep.equal([])
    expect((await log()).slice(before).map(({ type }) => type)).to.deep.equal(['UserSignedOut'])
  })

  it('reads no query parameter and refuses GET', async () => {
    const token = await running.userToken()
    const path = `${SESSIONS}/end?session_id=${await idOf(token)}`
    expect((await running.send({ method: 'POST', path, token })).body).to.deep.equal(MISSING)
    expect((await running.send({ method: 'GET', path, token })).status).to.equal(405)
    expect(await at.status(token)).to.equal(200)
  })

  it('refuses an application token with 403 and a missing token with 401', async () => {
    const body = { session_id: await idOf(here) }
    expect((await at.end(await running.applicationToken(), body)).status).to.equal(403)
    expect((await running.send({ method: 'POST', path: `${SESSIONS}/end`, body })).status).to.equal(401)
    expect(await at.status(here)).to.equal(200)
  })
})
