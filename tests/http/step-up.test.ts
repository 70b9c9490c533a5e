import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { isNone, none } from 'fp-ts/lib/Option.js'
import { Dependency, provide } from '../../adapters/index.ts'
import { nodeDigests } from '../../adapters/node/environment.ts'
import { checkLog } from '../../application/log/check-log.ts'
import type { Store } from '../../application/ports/store.ts'
import { eventsOf } from '../support/events.ts'
import { introspection } from '../support/introspection.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { sessionsAt } from '../support/sessions.ts'
import { claimsOf } from '../support/token-claims.ts'
import { change, issuedToken } from '../testkit/builders.ts'

const PATH = '/api/v1/profile/step_up'
const RENEW = '/api/v1/auth/user/token/renew'
const START = Date.parse('2026-11-20T12:00:00Z')
const START_SECONDS = START / 1000
const TTL = 1_000
const SESSION_TTL = 2_500
const PWD = { acr: 'aal1', amr: ['pwd'] }

for (const format of ['paseto', 'jwt'] as const)
  onMemory(`POST ${PATH} with USER_TOKEN_FORMAT=${format}`, (stores) => {
    let store: Store
    let running: RunningService
    let now: number
    beforeEach(async () => {
      now = START
      const lasting = await stores.lasting()
      store = lasting.store
      running = await startService(
        {
          ...lasting.environment,
          USER_TOKEN_FORMAT: format,
          USER_TOKEN_TTL: `${TTL}`,
          SESSION_TTL: `${SESSION_TTL}`,
        },
        ...lasting.modules,
        provide(Dependency.clock, () => () => now),
        provide(Dependency.steadyClock, () => async () => right(now)),
      )
    })
    afterEach(() => running.stop())

    const passSeconds = (seconds: number): void => {
      now += seconds * 1000
    }
    const post = (path: string, token: string, body: object, headers: Record<string, string> = {}) =>
      running.send({ method: 'POST', path, token, body, headers })
    const stepUp = (token: string, headers = {}) =>
      post(PATH, token, { password: running.user.password }, headers)
    const renew = async (token: string) =>
      (await post(RENEW, await running.applicationToken(), { token })).body
    const signIn = async () =>
      (
        await post('/api/v1/auth/user/token', await running.applicationToken(), {
          email: running.user.email,
          password: running.user.password,
          label: 'Firefox',
        })
      ).body
    const shown = async (token: string) =>
      (await sessionsAt(running).list(token)).find(({ current }) => current)
    const status = (token: string) => sessionsAt(running).status(token)
    const sessionRow = async (token: string) => {
      const found = await succeed(store.findSession(claimsOf(token).sid))
      if (isNone(found)) throw new Error('the session does not exist')
      return found.value.session
    }
    const expectAgreement = async () => {
      const { disagreements } = await succeed(checkLog({ store, clock: () => now, digests: nodeDigests }))
      expect(disagreements).to.deep.equal([])
    }

    it('returns a token of the same session with a new time of the authentication, until the session expires', async () => {
      const { token } = await signIn()
      passSeconds(900)
      const { status: code, body, headers } = await stepUp(token)
      expect([code, headers['cache-control']]).to.deep.equal([200, 'no-store'])
      const { token: newer, ...rest } = body
      expect(rest).to.deep.equal({ expires_in: TTL - 900, ...PWD })
      const [before, after] = [claimsOf(token), claimsOf(newer)]
      expect(before).to.include({ auth_time: START_SECONDS })
      expect(after).to.deep.equal({
        ...before,
        iat: START_SECONDS + 900,
        auth_time: START_SECONDS + 900,
        jti: after.jti,
      })
      expect(after.jti).to.not.equal(before.jti)
      passSeconds(99)
      expect([await status(token), await status(newer)]).to.deep.equal([200, 200])
      passSeconds(6)
      expect([await status(token), await status(newer)]).to.deep.equal([401, 401])
      await expectAgreement()
    })

    it('returns a token until the expiry of a renewed session', async () => {
      const { token } = await signIn()
      passSeconds(500)
      await renew(token)
      passSeconds(100)
      const { body } = await stepUp(token)
      expect(body.expires_in).to.equal(TTL - 100)
      passSeconds(TTL - 101)
      expect([await status(token), await status(body.token)]).to.deep.equal([401, 200])
      await expectAgreement()
    })

    it('is kept by a renewal, which also says how and when the user signed in before', async () => {
      const { token } = await signIn()
      passSeconds(100)
      const first = await renew(token)
      expect(first).to.deep.include(PWD)
      expect(claimsOf(first.token)).to.deep.include({ auth_time: START_SECONDS, ...PWD })
      passSeconds(100)
      const { body } = await stepUp(first.token)
      passSeconds(700)
      for (const one of [token, body.token]) {
        const renewed = await renew(one)
        expect(claimsOf(renewed.token)).to.deep.include({ auth_time: START_SECONDS + 200, ...PWD })
      }
      await expectAgreement()
    })

    it('changes nothing in the list of sessions, which says how the user was authenticated', async () => {
      const { token } = await signIn()
      const before = await shown(token)
      expect(before).to.deep.include({ ...PWD, label: 'Firefox' })
      passSeconds(100)
      const { body } = await stepUp(token)
      expect(await shown(body.token)).to.deep.equal(before)
    })

    it('changes no claim of the former token: introspection says of each token what is in it', async () => {
      const gate = await scopedToken(running, 'tokens:introspect')
      const { token } = await signIn()
      passSeconds(100)
      const { body } = await stepUp(token)
      for (const [one, seconds] of [
        [token, 0],
        [body.token, 100],
      ] as const)
        expect((await introspection(running, gate, { token: one })).body).to.deep.include({
          active: true,
          auth_time: START_SECONDS + seconds,
          ...PWD,
        })
    })

    it('is recorded with the user as actor, and without a token', async () => {
      const { token } = await signIn()
      passSeconds(1)
      await stepUp(token, { 'x-request-id': 'one-step-up' })
      const [entry, ...more] = await eventsOf(store, 'SessionSteppedUp')
      expect(more).to.deep.equal([])
      expect(entry).to.deep.include({
        version: 1,
        at: '2026-11-20T12:00:01.000Z',
        subject: { kind: 'user', id: running.user.id },
        actor: { kind: 'user', id: running.user.id },
        request_id: 'one-step-up',
        data: { session_id: claimsOf(token).sid, amr: ['pwd'] },
      })
      expect((await eventsOf(store, 'UserSignedIn')).at(-1)?.data).to.deep.include({ amr: ['pwd'] })
    })

    it('leaves other sessions as they are', async () => {
      const [{ token }, { token: other }] = [await signIn(), await signIn()]
      const before = await sessionRow(other)
      passSeconds(10)
      await stepUp(token)
      expect(await sessionRow(other)).to.deep.equal(before)
      expect(claimsOf((await renew(other)).token)).to.include({ auth_time: START_SECONDS })
    })

    it('works in a session of a former version, whose user signed in at its beginning', async () => {
      const { token } = await signIn()
      const row = await sessionRow(token)
      const former = { ...row, methods: none, authenticatedAtSeconds: none, version: row.version + 1 }
      await succeed(store.commit({ ...change(issuedToken()), rows: [{ table: 'sessions', row: former }] }))
      passSeconds(100)
      expect(await shown(token)).to.deep.include(PWD)
      expect(claimsOf((await renew(token)).token)).to.deep.include({ auth_time: START_SECONDS, ...PWD })
      const { body } = await stepUp(token)
      expect(body).to.deep.include(PWD)
      expect(claimsOf(body.token)).to.deep.include({ auth_time: START_SECONDS + 100, ...PWD })
    })

    it('is refused from the expiry on, also while the token is tolerated', async () => {
      const { token } = await signIn()
      passSeconds(TTL)
      expect(await status(token), 'clocks may differ by seconds').to.equal(200)
      expect((await stepUp(token)).status).to.equal(401)
      expect(await eventsOf(store, 'SessionSteppedUp')).to.deep.equal([])
    })
  })
