import { expect } from 'chai'
import { describeInBrowser } from '../support/browser.ts'
import { verifiedUser } from '../support/factor-desk.ts'
import { type BrowserApp, newBrowserApp } from './browser-app.ts'
import { fillSignIn, type OpenIdPlace, press, shownBy, startOpenIdPlace } from './browser-desk.ts'
import type { TestClient } from './openid-service.ts'

describeInBrowser('an answer of the provider to a page of another site', (visitor) => {
  let place: OpenIdPlace
  before(async () => {
    place = await startOpenIdPlace(visitor)
  })
  after(() => place.stop())

  const newUser = () => verifiedUser(place.provider.pages)

  describe('as a form', () => {
    const wish = { response_mode: 'form_post' }

    it('is sent by the one script that the policy of its page permits', async () => {
      const user = await newUser()
      await place.visit(async ({ page }) => {
        const policies: Array<string> = []
        page.on('response', (response) => {
          if (response.url().includes('/oauth2/authorize'))
            policies.push(response.headers()['content-security-policy'] ?? '')
        })
        await page.goto(place.shop.start(wish))
        await fillSignIn(page, user)
        const first = await shownBy(page, place.shop)
        expect(first).to.include({ sub: user.id, method: 'POST', from: place.provider.issuer })
        await page.goto(place.shop.start(wish))
        expect((await shownBy(page, place.shop)).method).to.equal('POST')
        const ofForms = policies.filter((policy) => policy !== '')
        expect(ofForms).to.have.lengthOf(2)
        for (const policy of ofForms) {
          expect(policy).to.match(/script-src 'sha256-[\w+/=]+';/)
          expect(policy)
            .to.include("frame-ancestors 'none'")
            .and.not.match(/form-action|unsafe/)
        }
      })
    })

    it('is sent with a button if there is no script', async () => {
      const user = await newUser()
      await place.visit(
        async ({ page }) => {
          await page.goto(place.shop.start(wish))
          await fillSignIn(page, user)
          await page.waitForURL(`${place.provider.issuer}/oauth2/authorize**`, { waitUntil: 'load' })
          await page.getByRole('button').press('Enter')
          expect((await shownBy(page, place.shop)).sub).to.equal(user.id)
        },
        { javaScriptEnabled: false },
      )
    })

    it('has the error if the application wants no page', async () => {
      await place.visit(async ({ page }) => {
        await page.goto(place.shop.start({ ...wish, prompt: 'none' }))
        expect(await shownBy(page, place.shop)).to.deep.equal({ error: 'login_required' })
      })
    })
  })

  describe('whose script is a public client', () => {
    let own: BrowserApp
    let foreign: BrowserApp
    let client: TestClient
    before(async () => {
      own = await newBrowserApp()
      foreign = await newBrowserApp()
      client = await place.provider.client('spa', {
        client: 'public',
        redirectUris: [`${own.origin}/page`],
      })
      const page = pageOf(place.provider.issuer, client.id)
      await own.connect(place.provider.issuer, client, page)
      await foreign.connect(place.provider.issuer, client, page)
    })
    after(() => Promise.all([own.stop(), foreign.stop()]))

    it('gives it tokens and claims, which it fetches itself', async () => {
      const user = await newUser()
      await place.visit(
        async ({ page, requests }) => {
          await page.goto(`${own.origin}/page`)
          await press(page, 'Sign in')
          await fillSignIn(page, user)
          await page.waitForURL((url) => url.origin === own.origin)
          await page.locator('pre:not(:empty)').waitFor()
          expect(JSON.parse(await page.locator('pre').innerText())).to.deep.equal({
            state: true,
            iss: place.provider.issuer,
            keys: 1,
            claims: { sub: user.id, email: user.email, email_verified: true },
            refreshed: user.id,
            revoked: 200,
            after: 401,
            challenge: true,
          })
          expect(requests.some((url) => url.endsWith('/oauth2/userinfo'))).to.equal(true)
        },
        {},
        { apps: [own], permitted: /status of 401/ },
      )
    })

    it('is not read by a page of another origin', async () => {
      await place.visit(
        async ({ page }) => {
          await page.goto(`${foreign.origin}/page`)
          const { issuer } = place.provider
          const readable = (path: string, options: object) =>
            page.evaluate<boolean>(
              `fetch(${JSON.stringify(issuer + path)}, ${JSON.stringify(options)}).then(() => true, () => false)`,
            )
          const form = (fields: Readonly<Record<string, string>>) => ({
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: String(new URLSearchParams({ client_id: client.id, ...fields })),
          })
          expect(await readable('/.well-known/openid-configuration', {})).to.equal(true)
          expect(await readable('/oauth2/token', form({ grant_type: 'refresh_token' }))).to.equal(false)
          expect(await readable('/oauth2/revoke', form({ token: 'a' }))).to.equal(false)
          expect(await readable('/oauth2/par', form({ response_type: 'code' }))).to.equal(false)
          const headers = { authorization: 'Bearer a' }
          expect(await readable('/oauth2/userinfo', { headers })).to.equal(false)
          expect(await readable('/api/v1/profile', { headers })).to.equal(false)
          expect(await readable('/.well-known/openid-configuration', { credentials: 'include' })).to.equal(
            false,
          )
        },
        {},
        { apps: [foreign], permitted: /Failed to load resource|has been blocked by CORS policy/ },
      )
    })
  })
})

/** A single-page application. It keeps its state while the person is away, and shows what it has fetched. */
const pageOf = (issuer: string, clientId: string): string => `<!doctype html>
<link rel="icon" href="data:,"><title>Page</title><h1>Page</h1><button>Sign in</button><pre></pre>
<script type="module">
const [issuer, clientId] = ${JSON.stringify([issuer, clientId])}
const redirectUri = location.origin + '/page'
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)))
const metadata = () => fetch(issuer + '/.well-known/openid-configuration').then((answer) => answer.json())
const post = (url, fields) => fetch(url, { method: 'POST', body: new URLSearchParams({ client_id: clientId, ...fields }) })
document.querySelector('button').addEventListener('click', async () => {
  const kept = { verifier: random(), state: random() }
  sessionStorage.setItem('kept', JSON.stringify(kept))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(kept.verifier))
  location.href = (await metadata()).authorization_endpoint + '?' + new URLSearchParams({
    client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid email',
    code_challenge: base64url(digest), code_challenge_method: 'S256', state: kept.state,
  })
})
const sent = new URLSearchParams(location.search)
if (sent.has('code')) {
  const { verifier, state } = JSON.parse(sessionStorage.getItem('kept'))
  const known = await metadata()
  const { keys } = await (await fetch(known.jwks_uri)).json()
  const tokens = await (await post(known.token_endpoint, {
    grant_type: 'authorization_code', code: sent.get('code'), redirect_uri: redirectUri, code_verifier: verifier,
  })).json()
  const userinfo = ({ access_token: token }) =>
    fetch(known.userinfo_endpoint, { headers: { authorization: 'Bearer ' + token } })
  const claims = await (await userinfo(tokens)).json()
  const renewed = await (await post(known.token_endpoint, {
    grant_type: 'refresh_token', refresh_token: tokens.refresh_token,
  })).json()
  const refreshed = (await (await userinfo(renewed)).json()).sub
  const revoked = (await post(known.revocation_endpoint, { token: renewed.refresh_token })).status
  const after = await userinfo(renewed)
  document.querySelector('pre').textContent = JSON.stringify({
    state: sent.get('state') === state, iss: sent.get('iss'), keys: keys.length, claims, refreshed, revoked,
    after: after.status, challenge: after.headers.has('WWW-Authenticate'),
  })
}
</script>`
