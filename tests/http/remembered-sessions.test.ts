import { expect } from 'chai'
import { FACTOR_SETTINGS, factorDesk, verifiedUser } from '../support/factor-desk.ts'
import { basic, REVOKE, sendForm } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { timed } from '../support/second-factor-service.ts'
import { claimsOf } from '../support/token-claims.ts'

const SIGN_IN = '/api/v1/auth/user/token'
const RENEW = `${SIGN_IN}/renew`
const SESSIONS = '/api/v1/profile/sessions'
const UNUSABLE = {
  code: 2,
  message: 'token has ended, or another application opened its session.',
  param: 'token',
}
const [TOKEN, IDLE, REMEMBER] = [600, 8_000, 2_592_000]

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

onMemory('a session that lives longer than its tokens', (stores) => {
  const time = { now: Date.parse('2026-11-20T12:00:00Z') }
  const passSeconds = (seconds: number) => {
    time.now += 1000 * seconds
  }
  for (const format of ['paseto', 'jwt'])
    describe(`with tokens as ${format}`, () => {
      let running: RunningService
      before(async () => {
        const { environment, modules } = await stores.lasting()
        const lifetimes = {
          USER_TOKEN_TTL: `${TOKEN}`,
          SESSION_IDLE_TTL: `${IDLE}`,
          SESSION_TTL: '50000',
          SESSION_REMEMBER_TTL: `${REMEMBER}`,
          USER_TOKEN_FORMAT: format,
          ...FACTOR_SETTINGS,
        }
        running = await startService({ ...environment, ...lifetimes }, ...modules, ...timed(time))
      })
      after(() => running.stop())

      const post = async (path: string, body: object, token?: string) =>
        running.send({ method: 'POST', path, body, token: token ?? (await running.applicationToken()) })
      const signIn = async (more: object = {}) => {
        const { email, password } = running.user
        const { status, body } = await post(SIGN_IN, { email, password, ...more })
        expect(status).to.equal(200)
        return body
      }
      const renew = (token: string) => post(RENEW, { token })
      const rotate = (atOnce: boolean) =>
        succeed(running.service.rotateKeys(CONTEXT, { purposes: ['user', 'user_jwt'], atOnce }))
      const profile = (token: string) => running.send({ method: 'GET', path: '/api/v1/profile', token })
      const sessionOf = async (token: string) => {
        const { body } = await running.send({ method: 'GET', path: SESSIONS, token })
        return body.sessions.find(({ current }: { current: boolean }) => current)
      }

      it('is remembered only with JSON true', async () => {
        const remembered = await signIn({ remember: true })
        expect(remembered).to.include({ expires_in: TOKEN, session_expires_in: REMEMBER })
        expect(await sessionOf(remembered.token)).to.include({ remembered: true })
        for (const remember of [false, 'true', 1, null, [true], {}, undefined]) {
          const ordinary = await signIn({ remember })
          expect(ordinary, String(remember)).to.include({ expires_in: TOKEN, session_expires_in: IDLE })
          expect(await sessionOf(ordinary.token)).to.include({ remembered: false })
        }
      })

      it('is renewed by its expired token, which opens nothing else', async () => {
        const { token } = await signIn({ remember: true })
        passSeconds(TOKEN + 5)
        expect((await profile(token)).status).to.equal(401)
        const revoked = await running.send({ method: 'DELETE', path: SIGN_IN, token })
        expect(revoked.status, 'a sign-out needs a valid one').to.equal(401)
        const introspecting = await scopedToken(running, 'tokens:introspect')
        const introspected = await sendForm(running, '/oauth2/introspect', { token }, bearer(introspecting))
        expect(introspected.body).to.deep.equal({ active: false })
        const { status, body } = await renew(token)
        expect([status, body.expires_in, body.session_expires_in]).to.deep.equal([
          200,
          TOKEN,
          REMEMBER - TOKEN - 5,
        ])
        expect(claimsOf(body.token)).to.include({
          sid: claimsOf(token).sid,
          auth_time: claimsOf(token).auth_time,
        })
        expect((await profile(body.token)).status).to.equal(200)
      })

      it('gets no longer token by a step-up or an enrolment than by a sign-in, and none beyond its end', async () => {
        const remembered = async () => {
          const { email, password } = await verifiedUser(running)
          return (await signIn({ email, password, remember: true })).token
        }
        const stepUp = (of: string) =>
          post('/api/v1/profile/step_up', { password: running.user.password }, of) // all have one password
        const lifetimes = async (of: string, lifetime: number) => {
          const stepped = await stepUp(of)
          const { answer } = await factorDesk(running, () => time.now).enrol(stepped.body.token)
          const found = [stepped, answer].map(({ status, body }) => {
            const { iat, exp } = claimsOf(body.token)
            return [status, body.expires_in, Number(exp) - Number(iat)]
          })
          expect(found).to.deep.equal([
            [200, lifetime, lifetime],
            [201, lifetime, lifetime],
          ])
          return answer.body.token as string
        }
        const proved = await lifetimes(await remembered(), TOKEN)
        expect(await sessionOf(proved)).to.include({ remembered: true })
        passSeconds(TOKEN + 5)
        expect((await profile(proved)).status).to.equal(401)
        expect((await renew(proved)).body.session_expires_in).to.equal(REMEMBER - TOKEN - 5)

        const late = await remembered()
        passSeconds(REMEMBER - 100)
        const { body } = await renew(late)
        expect([body.expires_in, body.session_expires_in]).to.deep.equal([100, 100])
        await lifetimes(body.token, 100)
      })

      it('is renewed by its expired token to its end, though the keys were rotated', async () => {
        const { token } = await signIn({ remember: true })
        const idle = await signIn()
        await rotate(false)
        passSeconds(IDLE - 5)
        expect((await renew(idle.token)).body.session_expires_in).to.equal(IDLE)
        await rotate(false)
        passSeconds(REMEMBER - IDLE - 5)
        expect((await renew(idle.token)).status, 'an ordinary one has expired').to.equal(422)
        const { status, body } = await renew(token)
        expect([status, body.expires_in, body.session_expires_in]).to.deep.equal([200, 10, 10])
        expect((await profile(body.token)).status).to.equal(200)
        passSeconds(10 + 5)
        for (const old of [token, body.token]) expect((await renew(old)).status).to.equal(422)
      })

      it('is renewed and ended by none of its tokens once their key has leaked', async () => {
        const expired = await signIn({ remember: true })
        passSeconds(TOKEN + 5)
        const valid = await signIn({ remember: true })
        await rotate(true)
        passSeconds(1) // for which the keys are cached
        expect((await profile(valid.token)).status).to.equal(401)
        for (const { token } of [expired, valid]) {
          const { status, body } = await renew(token)
          expect([status, body.errors]).to.deep.equal([422, [UNUSABLE]])
          expect((await sendForm(running, REVOKE, { token }, basic(running.keys))).status).to.equal(200)
        }
        const { token } = await signIn({ remember: true })
        expect((await renew(token)).status).to.equal(200)
      })

      it('is renewed for no revoked application, and for no other in its place', async () => {
        const made = await succeed(
          running.service.registerApplication(CONTEXT, { name: 'shop', scope: 'users:sign_in' }),
        )
        const keys = { public_api_key: made.publicApiKey, private_api_key: made.privateApiKey }
        const shop = (await succeed(running.service.issueApplicationToken(CONTEXT, made))).token
        const { email, password } = running.user
        const { token } = (await post(SIGN_IN, { email, password, remember: true }, shop)).body
        passSeconds(TOKEN + 5)
        await succeed(running.service.revokeApplication(CONTEXT, made.application.id))
        const fresh = await post(SIGN_IN, { email, password }, shop)
        const refused = await post(RENEW, { token }, shop)
        expect([fresh.status, refused.status, refused.body.token]).to.deep.equal([401, 401, undefined])
        const { status, body } = await renew(token)
        expect([status, body.errors]).to.deep.equal([422, [UNUSABLE]])
        expect((await sendForm(running, REVOKE, { token }, basic(keys))).status).to.equal(401)
      })

      it('is ended by a revocation of its expired token, with the keys of its application only', async () => {
        let { token } = await signIn({ remember: true })
        passSeconds(TOKEN + 5)
        const other = await succeed(
          running.service.registerApplication(CONTEXT, { name: 'other', scope: 'users:sign_in' }),
        )
        const others = { public_api_key: other.publicApiKey, private_api_key: other.privateApiKey }
        const revoke = (keys: RunningService['keys']) => sendForm(running, REVOKE, { token }, basic(keys))
        expect((await revoke(others)).status).to.equal(200)
        const { status, body } = await renew(token)
        expect(status, 'it lives on').to.equal(200)
        token = body.token
        passSeconds(TOKEN + 5)
        expect((await revoke(running.keys)).status).to.equal(200)
        expect((await renew(token)).status).to.equal(422)
      })

      it('opens nothing after its key leaked, and is listed until another session ends it', async () => {
        const { token } = await signIn({ remember: true, label: 'leaked' })
        const keys = { purposes: ['user', 'user_jwt'], atOnce: true } as const
        await succeed(running.service.rotateKeys(CONTEXT, keys))
        passSeconds(2) // servers look for new keys once a second
        expect((await profile(token)).status).to.equal(401)
        expect((await renew(token)).status).to.equal(422)
        const { token: current } = await signIn()
        const listed = async () => {
          const path = '/api/v1/profile/sessions'
          const { body } = await running.send({ method: 'GET', path, token: current })
          return body.sessions.map(({ label }: { label: string | null }) => label)
        }
        expect(await listed()).to.include('leaked')
        expect((await post('/api/v1/profile/sessions/end_others', {}, current)).status).to.equal(200)
        expect(await listed()).to.deep.equal([null])
      })
    })
})
