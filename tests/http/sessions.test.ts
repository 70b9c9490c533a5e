import { expect } from 'chai'
import { onMemory } from '../support/one-store.ts'
import { OPERATOR } from '../support/operator.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { SESSIONS, sessionOf, sessionsAt } from '../support/sessions.ts'

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const EVE = { email: 'eve@example.com', password: 'p' }
const refusal = (code: number, message: string) => ({
  success: false,
  code: 422,
  message: 'Some fields are missing or wrong; see errors.',
  errors: [{ code, message, param: 'session_id' }],
})
const MISSING = refusal(1, 'session_id is missing or empty.')
const NOT_YOURS = refusal(2, 'session_id is not a live session of this user.')

onMemory('the sessions of a signed-in user', (stores) => {
  let running: RunningService
  let at: ReturnType<typeof sessionsAt>
  let here: string
  before(async () => {
    running = await startService(await stores.fresh())
    at = sessionsAt(running)
    await succeed(running.service.registerUser(CONTEXT, EVE, OPERATOR))
    here = await running.userToken()
  })
  after(() => running.stop())

  const idOf = (token: string) => sessionOf(running, token)
  const ask = (method: string, path: string, token: string, more = {}) =>
    running.send({ method, path, token, ...more })
  const statuses = (...tokens: ReadonlyArray<string>) => Promise.all(tokens.map(at.status))
  const lastEvent = async () =>
    (await succeed(running.service.store.readEvents({ after: 0, limit: 1_000 }))).at(-1)
  const NO_JSON = {
    body: '{ no JSON at all',
    headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
  }

  describe('GET /api/v1/profile/sessions', () => {
    it('returns all fields of a single session', async () => {
      const before = Math.floor(Date.now() / 1000) * 1000
      const token = await running.userToken(EVE)
      const answer = await ask('GET', SESSIONS, token)
      expect(answer.status).to.equal(200)
      expect(answer.body).to.have.all.keys('sessions')
      const [session, ...more] = answer.body.sessions
      expect(more).to.deep.equal([])
      const { created_at, expires_at, ends_at, ...others } = session
      expect(others).to.deep.equal({
        id: await idOf(token),
        renewed_at: null,
        application_id: running.keys.public_api_key.slice('pk_'.length),
        application_name: 'tests',
        label: null,
        remembered: false,
        acr: 'aal1',
        amr: ['pwd'],
        current: true,
      })
      for (const time of [created_at, expires_at, ends_at]) expect(time).to.match(RFC3339)
      expect(Date.parse(created_at)).to.be.within(before, Date.now())
      // Both follow the second in which the token was signed. `created_at` is that of the commit, which may be the next one.
      expect(ends_at).to.equal(expires_at)
      expect(Date.parse(expires_at) - 43_200_000).to.be.within(before, Date.parse(created_at))
    })
  })

  describe('POST /api/v1/profile/sessions/end', () => {
    it('ends only the given session and returns the operation result', async () => {
      const [there, elsewhere] = [await running.userToken(), await running.userToken()]
      const session_id = await idOf(there)
      const { status, body, headers } = await at.end(here, { session_id })
      expect([status, body]).to.deep.equal([
        200,
        { success: true, code: 100, message: 'The session was ended.' },
      ])
      expect(await statuses(here, there, elsewhere)).to.deep.equal([200, 401, 200])
      expect(await lastEvent()).to.deep.include({
        type: 'UserSignedOut',
        request_id: headers['x-request-id'],
        data: { session_id },
      })
    })

    it('treats session_id as missing if it is no text, or is in the query', async () => {
      const headers = { 'content-type': 'application/json' }
      for (const body of [
        undefined,
        {},
        { session_id: '' },
        { session_id: null },
        { session_id: 7 },
        [],
        'a',
      ]) {
        const path = `${SESSIONS}/end?session_id=${await idOf(here)}`
        const answer = await ask('POST', path, here, body && { body: JSON.stringify(body), headers })
        expect([answer.status, answer.body], JSON.stringify(body)).to.deep.equal([422, MISSING])
      }
      expect(await at.status(here)).to.equal(200)
    })

    it('returns the same bytes for every id that is not a live session of the user, and changes nothing', async () => {
      const [ended, eves] = [await running.userToken(), await running.userToken(EVE)]
      const ids = [
        '019b7d3f-0000-7000-8000-000000000001',
        `' OR 1=1 --\0`,
        await idOf(eves),
        await idOf(ended),
      ]
      await ask('DELETE', '/api/v1/auth/user/token', ended)
      const before = await lastEvent()
      const answers = new Set<string>()
      for (const session_id of ids) {
        const { status, body, headers } = await at.end(here, { session_id })
        expect([status, body], session_id).to.deep.equal([422, NOT_YOURS])
        const { date: _, 'x-request-id': __, ...rest } = headers
        answers.add(JSON.stringify([rest, body]))
      }
      expect(answers.size).to.equal(1)
      expect(await lastEvent()).to.deep.equal(before)
      expect(await at.status(eves)).to.equal(200)
    })
  })

  describe('POST /api/v1/profile/sessions/end_others', () => {
    it('ends every other session of the user and keeps the current one, with any body', async () => {
      const [other, eves] = [await running.userToken(), await running.userToken(EVE)]
      const { status, body, headers } = await ask('POST', `${SESSIONS}/end_others`, here, NO_JSON)
      const message = 'All other sessions were ended.'
      expect([status, body]).to.deep.equal([200, { success: true, code: 100, message }])
      expect(await statuses(here, other, eves)).to.deep.equal([200, 401, 200])
      expect(await at.list(here)).to.have.lengthOf(1)
      expect(await lastEvent()).to.deep.include({
        type: 'OtherSessionsEnded',
        request_id: headers['x-request-id'],
      })
    })
  })

  it('are refused to an application token with 403, and to none or an ended one with 401', async () => {
    const [ended, application] = [await running.userToken(), await running.applicationToken()]
    await ask('DELETE', '/api/v1/auth/user/token', ended)
    for (const [method, path] of [
      ['GET', SESSIONS],
      ['POST', `${SESSIONS}/end`],
      ['POST', `${SESSIONS}/end_others`],
    ] as const) {
      const wrong = await ask(method, path, application)
      expect([wrong.status, wrong.headers['www-authenticate']], path).to.deep.equal([
        403,
        'Bearer realm="portcullis", error="insufficient_scope"',
      ])
      const none = await running.send({ method, path })
      expect([none.status, none.headers['www-authenticate']]).to.deep.equal([
        401,
        'Bearer realm="portcullis"',
      ])
      expect((await ask(method, path, ended)).status).to.equal(401)
    }
  })
})
