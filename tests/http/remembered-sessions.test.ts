import { expect } from 'chai'
import { FACTOR_SETTINGS } from '../support/factor-desk.ts'
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
    })
})
