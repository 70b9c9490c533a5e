import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { introspection } from '../support/introspection.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { sessionOf, sessionsAt } from '../support/sessions.ts'

onMemory('a user with sessions of two applications, one of which is revoked', (stores) => {
  let running: RunningService
  let sessions: ReturnType<typeof sessionsAt>
  let gate: string
  before(async () => {
    running = await startService(await stores.fresh())
    sessions = sessionsAt(running)
    gate = await scopedToken(running, 'tokens:introspect')
  })
  after(() => running.stop())

  /** Signs in through a new application. */
  const signedInByAnother = async () => {
    const { service, send, user } = running
    const made = await succeed(
      service.registerApplication(CONTEXT, { name: 'another', scope: 'users:sign_in' }),
    )
    const { token } = await succeed(service.issueApplicationToken(CONTEXT, made))
    const { email, password } = user
    const answer = await send({
      method: 'POST',
      path: '/api/v1/auth/user/token',
      token,
      body: { email, password },
    })
    return { applicationId: made.application.id, token: answer.body.token as string }
  }
  const revoke = (id: string) => succeed(running.service.revokeApplication(CONTEXT, id))
  const introspected = async (token: string) => (await introspection(running, gate, { token })).body

  it('keeps the sessions of the other application and no others', async () => {
    const own = await running.userToken()
    const { applicationId, token } = await signedInByAnother()
    expect(await Promise.all([own, token].map(sessions.status))).to.deep.equal([200, 200])
    await revoke(applicationId)
    expect(await Promise.all([own, token].map(sessions.status))).to.deep.equal([200, 401])
  })

  it('can neither list nor end the ended sessions', async () => {
    const own = await running.userToken()
    const { applicationId, token } = await signedInByAnother()
    const session_id = await sessionOf(running, token)
    const listed = async () => (await sessions.list(own)).map(({ id }) => id)
    expect(await listed()).to.include(session_id)
    await revoke(applicationId)
    expect(await listed()).to.not.include(session_id)
    const answer = await sessions.end(own, { session_id })
    expect(answer.status).to.equal(422)
    expect(answer.body.errors[0]).to.include({ code: 2, param: 'session_id' })
  })

  it('has inactive tokens for the ended sessions in introspection', async () => {
    const { applicationId, token } = await signedInByAnother()
    expect(await introspected(token)).to.include({ active: true, client_id: applicationId })
    await revoke(applicationId)
    expect(await introspected(token)).to.deep.equal({ active: false })
  })

  it('keeps a session without a recorded application, and introspection returns no client_id', async () => {
    const token = await running.userToken()
    const { store } = running.service
    const found = await succeed(store.findSession(await sessionOf(running, token)))
    if (found._tag === 'None') throw new Error('there is no session')
    const { session } = found.value
    const [entry] = await succeed(store.readEvents({ after: 0, limit: 1 }))
    if (entry === undefined) throw new Error('the log is empty')
    const { position: _, ...event } = entry
    const id = crypto.randomUUID()
    await succeed(
      store.commit({
        id,
        events: [{ ...event, id }],
        compared: [],
        rows: [{ table: 'sessions', row: { ...session, applicationId: none, version: session.version + 1 } }],
      }),
    )
    expect(await sessions.status(token)).to.equal(200)
    expect(await introspected(token))
      .to.include({ active: true, sub: running.user.id })
      .and.not.have.property('client_id')
  })
})
