import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { SESSIONS, sessionOf, sessionsAt } from '../support/sessions.ts'

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

onMemory('GET /api/v1/profile/sessions', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  const ask = (token: string, method = 'GET') => running.send({ method, path: SESSIONS, token })
  const newcomer = async (email: string) => {
    const body = { email, password: 'first' }
    const token = await running.applicationToken()
    await running.send({ method: 'POST', path: '/api/v1/users', token, body })
    return body
  }
  const idOf = (token: string) => sessionOf(running, token)

  it('returns all fields of a single session', async () => {
    const ada = await newcomer('ada@example.org')
    const before = Math.floor(Date.now() / 1000) * 1000
    const token = await running.userToken(ada)
    const answer = await ask(token)
    expect(answer.status).to.equal(200)
    expect(answer.body).to.have.all.keys('sessions')
    const [session, ...more] = answer.body.sessions
    expect(more).to.deep.equal([])
    expect(Object.keys(session)).to.deep.equal([
      'id',
      'created_at',
      'expires_at',
      'renewed_at',
      'ends_at',
      'application_id',
      'application_name',
      'label',
      'acr',
      'amr',
      'current',
    ])
    expect(session).to.deep.include({
      id: await idOf(token),
      application_id: running.keys.public_api_key.slice('pk_'.length),
      acr: 'aal1',
      amr: ['pwd'],
      current: true,
    })
    for (const time of [session.created_at, session.expires_at]) expect(time).to.match(RFC3339)
    expect(Date.parse(session.created_at)).to.be.within(before, Date.now())
    expect(Date.parse(session.expires_at) - Date.parse(session.created_at))
      .to.be.above(0)
      .and.at.most(43_200_000)
  })

  it('matches the event log in time and application of each session', async () => {
    const token = await running.userToken(await newcomer('bea@example.org'))
    const [session] = (await ask(token)).body.sessions
    const entries = await succeed(
      running.service.store.readEvents({ after: 0, limit: 1_000, type: 'UserSignedIn' }),
    )
    const entry = entries.find(({ data }) => 'session_id' in data && data.session_id === session.id)
    expect(entry?.actor).to.deep.equal({ kind: 'application', id: session.application_id })
    expect(entry?.data).to.have.property('expires_at', session.expires_at)
    expect(entry?.at.replace(/\d{3}Z$/, '000Z')).to.equal(session.created_at)
  })

  it('lists the newest first and marks the current one', async () => {
    const cleo = await newcomer('cleo@example.org')
    const tokens = []
    for (let each = 0; each < 3; each += 1) tokens.unshift(await running.userToken(cleo))
    const ids = await Promise.all(tokens.map(idOf))
    for (const [index, token] of tokens.entries()) {
      const { sessions } = (await ask(token)).body
      expect(sessions.map(({ id }: { id: string }) => id)).to.deep.equal(ids)
      expect(sessions.map(({ current }: { current: boolean }) => current)).to.deep.equal(
        ids.map((_, other) => other === index),
      )
    }
  })

  it('lists neither ended sessions nor sessions of other users', async () => {
    const dan = await newcomer('dan@example.org')
    const [token, other] = [await running.userToken(dan), await running.userToken(dan)]
    await running.userToken(await newcomer('eve@example.org'))
    await running.send({ method: 'DELETE', path: '/api/v1/auth/user/token', token: other })
    const shown = await sessionsAt(running).list(token)
    expect(shown.map(({ id }) => id)).to.deep.equal([await idOf(token)])
  })

  it('lists at most 100: the newest and the current one', async () => {
    const fay = await newcomer('fay@example.org')
    const oldest = await running.userToken(fay)
    const tokens: Array<string> = []
    for (let round = 0; round < 13; round += 1)
      tokens.push(...(await Promise.all(Array.from({ length: 8 }, () => running.userToken(fay)))))
    const ids = (await Promise.all(tokens.map(idOf))).sort().reverse()
    const shown = await sessionsAt(running).list(oldest)
    expect(shown).to.have.lengthOf(100)
    expect(shown.at(-1)).to.include({ id: await idOf(oldest), current: true })
    expect(shown.slice(0, -1).map(({ id }) => id)).to.deep.equal(ids.slice(0, 99))
  }).timeout(60_000)

  it('supports HEAD with the headers of GET', async () => {
    const token = await running.userToken(await newcomer('gil@example.org'))
    const [get, head] = [await ask(token), await ask(token, 'HEAD')]
    expect([head.status, head.body]).to.deep.equal([200, undefined])
    expect(lastingHeaders(head)).to.deep.equal(lastingHeaders(get))
    expect(lastingHeaders(get)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(get.body).length),
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
  })

  it('ignores the body', async () => {
    const token = await running.userToken()
    const answer = await running.send({
      method: 'GET',
      path: SESSIONS,
      token,
      body: '{ no JSON at all',
      headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
    })
    expect(answer.status).to.equal(200)
  })

  it('records no event', async () => {
    const token = await running.userToken()
    const events = () => succeed(running.service.store.readEvents({ after: 0, limit: 10_000 }))
    const before = await events()
    await ask(token)
    await ask(await running.applicationToken())
    expect((await events()).slice(before.length).map(({ type }) => type)).to.deep.equal([
      'ApplicationTokenIssued',
    ])
  })

  it('refuses an application token with 403 and a missing token with 401', async () => {
    const wrong = await ask(await running.applicationToken())
    expect(wrong.status).to.equal(403)
    expect(wrong.headers['www-authenticate']).to.equal(
      'Bearer realm="portcullis", error="insufficient_scope"',
    )
    const none = await running.send({ method: 'GET', path: SESSIONS })
    expect(none.status).to.equal(401)
    expect(none.headers['www-authenticate']).to.equal('Bearer realm="portcullis"')
  })
})
