import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { eventually } from '../support/eventually.ts'
import { type OpenIdService, startOpenId } from './openid-service.ts'
import { follow, newBrowser } from './relying-party.ts'

const hasAgent = spawnSync('oidc-agent', ['--version']).status === 0

if (!hasAgent)
  it('needs oidc-agent, and there is none (make relying-parties)', function () {
    if (process.env.CI) throw new Error('There is no oidc-agent.')
    this.skip()
  })

/** The system opens addresses of this scheme with `oidc-gen` (RFC 8252 §7.1). */
const REDIRECT_URI = 'edu.kit.data.oidc-agent:/redirect'

if (hasAgent)
  describe('oidc-agent, a program on the machine of its user, as a public client of the provider', () => {
    let provider: OpenIdService
    let run: (program: string, ...words: ReadonlyArray<string>) => Promise<string>
    const stops: Array<() => unknown> = []

    before(async () => {
      provider = await startOpenId()
      stops.unshift(provider.pages.stop)
      const folder = mkdtempSync(join(tmpdir(), 'portcullis-agent-'))
      stops.unshift(() => rmSync(folder, { recursive: true }))
      const socket = join(folder, 'socket')
      const env = { PATH: process.env.PATH, HOME: folder, OIDC_SOCK: socket, OIDC_ENCRYPTION_PW: 'secret' }
      const words = ['--console', '--no-webserver', '--always-allow-idtoken', '--socket-path', socket]
      const agent = spawn('oidc-agent', words, { env, stdio: 'ignore' })
      stops.unshift(async () => {
        agent.kill()
        await once(agent, 'exit')
      })
      await eventually('oidc-agent listens', async () => existsSync(socket) || undefined)
      run = async (program, ...words) => {
        const { stdout, stderr } = await promisify(execFile)(program, [...words], { env, timeout: 10_000 })
        return stdout + stderr
      }
    })
    after(async () => {
      for (const stop of stops) await stop()
    })

    it('gets tokens for its user, and revokes them', async () => {
      const client = await provider.client('agent', { client: 'public', redirectUris: [REDIRECT_URI] })
      const asked = await run(
        'oidc-gen',
        '--manual',
        '--flow=code',
        '--no-url-call',
        '--no-webserver',
        `--issuer=${provider.issuer}`,
        `--client-id=${client.id}`,
        '--client-secret=',
        `--redirect-uri=${REDIRECT_URI}`,
        '--scope=openid email offline_access',
        '--prompt=none',
        '--confirm-yes',
        '--pw-env',
        'me',
      )
      const url = new URL(/http:\S+\/oauth2\/authorize\?\S+/.exec(asked)?.[0] ?? asked)
      const callback = await follow(newBrowser(provider), provider.issuer, `${url.pathname}${url.search}`)
      await run('oidc-gen', '--pw-env', `--codeExchange=${callback}`)
      const token = (await run('oidc-token', 'me')).trim()
      expect(decodeJwt(token)).to.include({ sub: provider.pages.ada.id, iss: provider.issuer })
      const another = (await run('oidc-token', '--force-new', 'me')).trim()
      expect(decodeJwt(another).sid).to.equal(decodeJwt(token).sid)
      expect(another).not.to.equal(token)
      const idToken = (await run('oidc-token', '--id-token', 'me')).trim()
      expect(decodeJwt(idToken)).to.include({ aud: client.id, email: provider.pages.ada.email })

      const userinfo = async () => {
        const headers = { authorization: `Bearer ${another}` }
        return (await fetch(`${provider.issuer}/oauth2/userinfo`, { headers })).status
      }
      expect(await userinfo()).to.equal(200)
      await run('oidc-gen', '--confirm-yes', '--pw-env', '--delete', 'me')
      expect(await userinfo()).to.equal(401)
    })
  })
