import { expect } from 'chai'
import { portcullis } from '../../adapters/client/client.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { timed } from '../support/second-factor-service.ts'

describe('signOut of the client', () => {
  const time = { now: Date.parse('2026-11-20T12:00:00Z') }
  let running: RunningService
  before(async () => {
    running = await startService(
      { DATABASE_URL: 'memory:', USER_TOKEN_TTL: '60', SESSION_TTL: '3600', SESSION_REMEMBER_TTL: '7200' },
      ...timed(time),
    )
  })
  after(() => running.stop())

  const clientWith = (paths: Array<string> = []) =>
    portcullis({
      url: `http://127.0.0.1:${running.port}`,
      publicApiKey: running.keys.public_api_key,
      privateApiKey: running.keys.private_api_key,
      fetch: (url, init) => {
        paths.push(new URL(String(url)).pathname)
        return fetch(url, init)
      },
    })
  const remembered = async (auth: ReturnType<typeof clientWith>) => {
    const { email, password } = running.user
    const signedIn = await auth.signIn({ email, password, remember: true })
    if (!signedIn.ok) throw new Error('the user cannot sign in')
    expect(signedIn).to.include({ expiresIn: 60, sessionExpiresIn: 7_200 })
    return signedIn.token
  }

  it('ends the session of a token that has expired', async () => {
    const auth = clientWith()
    const token = await remembered(auth)
    time.now += 65_000
    expect(await auth.user(token).getProfile()).to.include({ refusal: 'invalid_token' })
    const other = await remembered(auth)
    time.now += 3_600_000
    const renewed = await auth.renewSession({ token: other })
    expect(renewed).to.include({ ok: true, expiresIn: 60, sessionExpiresIn: 3_600 })
    for (const one of [token, other]) expect(await auth.user(one).signOut()).to.include({ ok: true })
    for (const one of [token, other])
      expect(await auth.renewSession({ token: one }), 'it has ended').to.include({ ok: false })
  })

  it('sends no revocation for a guest, who has no token', async () => {
    const paths: Array<string> = []
    const guest = clientWith(paths).user('')
    expect(await guest.signOut()).to.include({ ok: false, refusal: 'invalid_token' })
    expect(paths).to.not.include('/oauth2/revoke')
  })

  it('sends no revocation of a token that is valid', async () => {
    const paths: Array<string> = []
    const auth = clientWith(paths)
    expect(await auth.user(await remembered(auth)).signOut()).to.include({ ok: true })
    expect(paths).to.not.include('/oauth2/revoke')
  })
})
