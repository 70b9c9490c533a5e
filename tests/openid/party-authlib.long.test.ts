import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../architecture/root.ts'
import { freePort } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { type OpenIdService, startOpenId } from './openid-service.ts'
import { newTab, type Tab } from './tab.ts'

/** That of Debian, for which Debian's packages are. */
const PYTHON = '/usr/bin/python3'

const hasAuthlib = spawnSync(PYTHON, ['-c', 'import authlib, flask, requests']).status === 0

if (!hasAuthlib)
  it('needs Authlib with Flask, and there is none (make relying-parties)', function () {
    if (process.env.CI) throw new Error('There is no Authlib with Flask.')
    this.skip()
  })

type Read = Readonly<{
  claims: Readonly<Record<string, unknown>>
  userinfo: Readonly<Record<string, unknown>>
  refresh_token: string
}>

if (hasAuthlib)
  describe('Authlib in Flask as a client of the provider', () => {
    let provider: OpenIdService
    let address: string
    let tab: Tab
    let said = ''
    const stops: Array<() => unknown> = []

    before(async () => {
      provider = await startOpenId()
      stops.unshift(provider.pages.stop)
      const port = await freePort()
      address = `http://127.0.0.1:${port}`
      const uris = { redirectUris: [`${address}/callback`], logoutUris: [`${address}/bye`] }
      const client = await provider.client('shop', uris)
      const shop = startShop({
        ADDRESS: address,
        PORT: String(port),
        ISSUER: provider.issuer,
        CLIENT_ID: client.id,
        CLIENT_SECRET: client.secret,
      })
      stops.unshift(() => {
        if (shop.exitCode !== null) return undefined
        shop.kill('SIGTERM')
        return once(shop, 'exit')
      })
      shop.stderr?.on('data', (text) => {
        said += text
      })
      await eventually('Flask listens', async () => {
        if (shop.exitCode !== null) throw new Error(`Flask does not start: ${said}`)
        return said.includes('Running on') || undefined
      })
      tab = newTab()
      stops.unshift(tab.close)
    })
    afterEach(function () {
      if (this.currentTest?.isFailed()) process.stderr.write(said)
    })
    after(async () => {
      for (const stop of stops) await stop()
    })

    it('signs a person in, refreshes, and signs out', async () => {
      const { email, password, id } = provider.pages.ada
      const asked = await tab.open(`${address}/`)
      expect(asked.url.origin).to.equal(provider.issuer)
      const shown = await tab.submit(asked, { email, password })
      expect(shown.url.href).to.equal(`${address}/`)
      const first = JSON.parse(shown.html) as Read
      expect(first.claims).to.include({ iss: provider.issuer, sub: id, email, acr: 'aal1' })
      expect(first.userinfo).to.deep.equal({ sub: id, email, email_verified: false })

      const renewed = JSON.parse((await tab.open(`${address}/refresh`)).html) as Read
      expect(renewed.userinfo).to.deep.equal(first.userinfo)
      expect(renewed.refresh_token).to.be.a('string').and.not.equal(first.refresh_token)

      const question = await tab.open(`${address}/logout`)
      expect(question.url.pathname).to.equal('/oauth2/end_session/confirm')
      const bye = await tab.submit(question)
      expect([bye.url.href, bye.html]).to.deep.equal([`${address}/bye`, 'Bye.'])
      expect((await tab.open(`${address}/`)).url.pathname).to.equal('/account/sign-in')
    })
  })

const startShop = (environment: Readonly<Record<string, string>>): ChildProcess =>
  spawn(PYTHON, [join(ROOT, 'tests/openid/authlib-shop.py')], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
