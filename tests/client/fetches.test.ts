import { expect } from 'chai'
import { fetch as undiciFetch } from 'undici'
import { type ClientSettings, type Fetch, portcullis } from '../../adapters/client/client.ts'
import { succeed } from '../support/outcome.ts'
import { CONTEXT } from '../support/request-context.ts'
import { type RunningService, startService } from '../support/running-service.ts'

describe('the setting fetch of the client', () => {
  let running: RunningService
  let keys: Pick<ClientSettings, 'publicApiKey' | 'privateApiKey'>
  before(async () => {
    running = await startService()
    const application = { name: 'product', scope: 'users:sign_in users:read' }
    keys = await succeed(running.service.registerApplication(CONTEXT, application))
  })
  after(() => running.stop())

  const FETCHES: Readonly<Record<string, () => Fetch | undefined>> = {
    'the global one, by default': () => undefined,
    'the global one': () => fetch,
    'that of a composed service': () => running.service.fetch,
    'that of the package undici': () => undiciFetch as unknown as Fetch, // its own types have other classes
    'one that makes a Request': () => (url, init) => fetch(new Request(url, init)),
  }
  for (const [what, fetchOf] of Object.entries(FETCHES)) {
    it(`may be ${what}`, async () => {
      const auth = portcullis({ url: `http://127.0.0.1:${running.port}`, ...keys, fetch: fetchOf() })
      const { email, password } = running.user
      const signedIn = await auth.signIn({ email, password }, { endUserAddress: '192.0.2.1' })
      const token = 'token' in signedIn ? String(signedIn.token) : ''
      expect(await auth.user(token).getProfile()).to.include({ ok: true, email })
      expect(await auth.user(token).signOut()).to.include({ ok: true })
      expect(await auth.searchUsers({ email })).to.have.nested.property('users[0].email', email)
    })
  }

  it('passes a signal on', async () => {
    for (const fetchOf of Object.values(FETCHES)) {
      const auth = portcullis({ url: `http://127.0.0.1:${running.port}`, ...keys, fetch: fetchOf() })
      const reason = new Error('enough')
      const thrown = await auth
        .getPasswordPolicy({ signal: AbortSignal.abort(reason) })
        .catch((error) => error)
      expect(thrown).to.equal(reason)
    }
  })
})
