import { expect } from 'chai'
import { type Apache, hasApache, startApache } from '../support/apache.ts'
import { freePort } from '../support/command.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { newTab, type Tab } from './tab.ts'

const PAGES = {
  // Apache fills in who reads it.
  'staff/index.shtml': '<!--#echo var="REMOTE_USER" --> <!--#echo var="OIDC_CLAIM_acr" -->',
  'admin/index.shtml': 'Only with a second factor.',
  'bye.html': 'Bye.',
}

/**
 * A folder for people who have signed in, and one for those who have done so with a second factor. `OIDCRedirectURI` is no page: the module answers
 * there.
 */
const directives = (issuer: string, address: string, client: TestClient): ReadonlyArray<string> => [
  'DirectoryIndex index.shtml',
  'AddType text/html .html .shtml',
  'AddOutputFilter INCLUDES .shtml',
  `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
  `OIDCClientID ${client.id}`,
  `OIDCClientSecret ${client.secret}`,
  `OIDCRedirectURI ${client.redirectUri}`,
  'OIDCCryptoPassphrase long-enough-for-this-test',
  'OIDCPKCEMethod S256',
  'OIDCScope "openid email"',
  'OIDCRemoteUserClaim email',
  'OIDCInfoHook access_token id_token userinfo refresh_token',
  `OIDCRedirectURLsAllowed ^${address.replaceAll('.', '\\.')}/`,
  'LogLevel auth_openidc:debug',
  '<Location /staff/>',
  '  Options +Includes',
  '  AuthType openid-connect',
  '  Require valid-user',
  '</Location>',
  '<Location /admin/>',
  '  Options +Includes',
  '  AuthType openid-connect',
  '  Require claim acr:aal2',
  '  OIDCUnAutzAction auth',
  '  OIDCPathAuthRequestParams acr_values=aal2',
  '</Location>',
]

type Info = Readonly<{
  access_token: string
  refresh_token: string
  id_token: Readonly<Record<string, unknown>>
  userinfo: Readonly<Record<string, unknown>>
}>

if (hasApache)
  describe('mod_auth_openidc as a client of the provider', () => {
    let provider: OpenIdService
    let apache: Apache
    let address: string
    let client: TestClient
    let tab: Tab
    const stops: Array<() => Promise<void>> = []

    before(async () => {
      provider = await startOpenId()
      stops.unshift(provider.pages.stop)
      const port = await freePort()
      address = `http://127.0.0.1:${port}`
      const redirectUri = `${address}/staff/callback`
      const logoutUris = [`${address}/bye.html`]
      client = await provider.client('staff', { redirectUris: [redirectUri], logoutUris })
      const needed = directives(provider.issuer, address, { ...client, redirectUri })
      apache = await startApache(port, PAGES, needed)
      stops.unshift(apache.stop)
      tab = newTab()
      stops.unshift(tab.close)
    })
    afterEach(function () {
      if (this.currentTest?.isFailed()) process.stderr.write(apache.log())
    })
    after(async () => {
      for (const stop of stops) await stop()
    })

    it('shows a page to a person who signs in, refreshes, and signs out', async () => {
      const { email, password, id } = provider.pages.ada
      const asked = await tab.open(`${address}/staff/`)
      expect(asked.url.origin).to.equal(provider.issuer)
      const shown = await tab.submit(asked, { email, password })
      expect([shown.url.href, shown.html]).to.deep.equal([`${address}/staff/`, `${email} aal1`])

      const stronger = await tab.open(`${address}/admin/`)
      expect(stronger.url.pathname).to.equal('/account/security')
      expect(stronger.url.searchParams.get('notice')).to.equal('factor_needed')

      const info = async () =>
        JSON.parse((await tab.open(`${address}/staff/callback?info=json`)).html) as Info
      const first = await info()
      expect(first.id_token).to.include({ sub: id, email })
      expect(first.userinfo).to.deep.equal({ sub: id, email, email_verified: false })
      const refresh = new URLSearchParams({ refresh: `${address}/staff/`, access_token: first.access_token })
      const refreshed = await tab.open(`${address}/staff/callback?${refresh}`)
      expect(refreshed.url.href).to.equal(`${address}/staff/`) // it would have an error in its query
      expect((await info()).refresh_token)
        .to.be.a('string')
        .and.not.equal(first.refresh_token)

      const out = new URLSearchParams({ logout: `${address}/bye.html` })
      const question = await tab.open(`${address}/staff/callback?${out}`)
      expect(question.url.pathname).to.equal('/oauth2/end_session/confirm')
      const bye = await tab.submit(question)
      expect([bye.url.href, bye.html]).to.deep.equal([`${address}/bye.html`, 'Bye.'])
      expect((await tab.open(`${address}/staff/`)).url.pathname).to.equal('/account/sign-in')
    })
  })
