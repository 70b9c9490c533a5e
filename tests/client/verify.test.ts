import { expect } from 'chai'
import {
  type Portcullis,
  portcullis,
  tokenVerifier,
  type VerifiedToken,
} from '../../adapters/client/client.ts'
import { composeOperations, Dependency, type Operations, provide } from '../../adapters/index.ts'
import { lastingStore } from '../support/lasting-store.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { PUBLIC_URL, settings } from '../support/settings.ts'
import { type OwnTime, ownTime } from './own-time.ts'
import { thrownBy } from './thrown-by.ts'

const INVALID: VerifiedToken = { ok: false, refusal: 'invalid_token' }
const TTL_MS = 43_200_000

for (const format of ['paseto', 'jwt'] as const)
  describe(`verify with tokens of a real service with USER_TOKEN_FORMAT=${format}`, () => {
    let running: RunningService
    let operator: Operations
    let time: OwnTime
    let auth: Portcullis
    const clientWith = (issuer?: string): Portcullis => {
      const { public_api_key: publicApiKey, private_api_key: privateApiKey } = running.keys
      return portcullis(
        { url: `http://127.0.0.1:${running.port}`, publicApiKey, privateApiKey, issuer },
        time,
      )
    }
    beforeEach(async () => {
      time = ownTime()
      const store = lastingStore()
      const modules = [
        provide(Dependency.storage, () => ({ store })),
        provide(Dependency.clock, () => () => time.now()),
      ]
      const environment = { USER_TOKEN_FORMAT: format }
      running = await startService(environment, ...modules)
      operator = await composeOperations(settings(environment), ...modules)
      auth = clientWith(PUBLIC_URL)
    })
    afterEach(async () => {
      await operator.close()
      await running.stop()
    })

    it('has user, session, times and authentication', async () => {
      const token = await running.userToken()
      const verified = await auth.verify(token)
      const sessions = await auth.user(token).listSessions()
      if (!sessions.ok) throw new Error('The token is invalid.')
      const at = new Date(time.now()).toISOString()
      expect(verified).to.deep.equal({
        ok: true,
        userId: running.user.id,
        sessionId: sessions.sessions[0]?.id,
        issuedAt: at,
        expiresAt: new Date(time.now() + TTL_MS).toISOString(),
        authTime: at,
        acr: 'aal1',
        amr: ['pwd'],
        roles: [],
        ...(format === 'jwt' && { clientId: running.keys.public_api_key.slice('pk_'.length) }),
      })
    })

    it('has the roles that the user had when it was signed', async () => {
      const change = { add: ['shop:admin', 'editor'], remove: [] }
      await succeed(operator.changeUserRoles(CONTEXT, running.user.id, change))
      const token = await running.userToken()
      await succeed(operator.changeUserRoles(CONTEXT, running.user.id, { add: [], remove: ['editor'] }))
      expect(await auth.verify(token)).to.deep.include({ roles: ['editor', 'shop:admin'] })
    })

    it('is the same without API keys', async () => {
      const token = await running.userToken()
      const gateway = tokenVerifier({ url: `http://127.0.0.1:${running.port}`, issuer: PUBLIC_URL }, time)
      expect(await gateway.verify(token)).to.deep.equal(await auth.verify(token))
      expect(await gateway.verify(`${token}x`)).to.deep.equal(INVALID)
    })

    it('is refused 5 s after its end, and not before', async () => {
      const token = await running.userToken()
      time.pass(TTL_MS + 4_999)
      expect(await auth.verify(token)).to.include({ ok: true })
      time.pass(1)
      expect(await auth.verify(token)).to.deep.equal(INVALID)
    })

    it('throws WrongIssuer with another issuer than the PUBLIC_URL', async () => {
      const token = await running.userToken()
      for (const issuer of [undefined, `${PUBLIC_URL}.example`, PUBLIC_URL.toUpperCase()])
        expect(await thrownBy(clientWith(issuer).verify(token))).to.include({
          name: 'WrongIssuer',
          message: `The PUBLIC_URL of the service is ${PUBLIC_URL}, and this program expects tokens of ${issuer ?? `http://127.0.0.1:${running.port}`}. Set the option issuer to ${PUBLIC_URL}, or correct PUBLIC_URL.`,
        })
    })

    it('is refused for an application token', async () => {
      expect(await auth.verify(await running.applicationToken())).to.deep.equal(INVALID)
    })

    it('does not know of a sign-out', async () => {
      const token = await running.userToken()
      await auth.user(token).signOut()
      expect(await auth.verify(token)).to.include({ ok: true })
      expect(await auth.user(token).getProfile()).to.include({ ok: false, refusal: 'invalid_token' })
    })

    it('knows the new key after a rotation, and after a leak no old one when 8 minutes are over', async () => {
      const before = await running.userToken()
      expect(await auth.verify(before)).to.include({ ok: true })
      const purpose = format === 'jwt' ? 'user_jwt' : 'user'
      await succeed(operator.rotateKeys(CONTEXT, { purposes: [purpose], atOnce: true }))
      time.pass(30_000)
      const after = await running.userToken()
      expect(await auth.verify(after)).to.include({ ok: true })
      time.pass(480_000)
      expect(await auth.verify(before)).to.deep.equal(INVALID)
      expect(await auth.verify(after)).to.include({ ok: true })
    })
  })
