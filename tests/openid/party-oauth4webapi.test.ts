import { expect } from 'chai'
import { decodeJwt } from 'jose'
import * as oauth from 'oauth4webapi'
import { onceIn } from '../account-pages/browser-desk.ts'
import { type OpenIdService, startOpenId, type TestClient } from './openid-service.ts'
import { follow, newBrowser } from './relying-party.ts'

/** These tests use plain HTTP on this machine. */
const HTTP = { [oauth.allowInsecureRequests]: true }

/** How a client proves who it is, and the clients that do. */
const WAYS = [
  ['client_secret_basic', 'confidential', ({ secret }) => oauth.ClientSecretBasic(secret)],
  ['client_secret_post', 'confidential', ({ secret }) => oauth.ClientSecretPost(secret)],
  ['none', 'public', () => oauth.None()],
] as const satisfies ReadonlyArray<
  readonly [how: string, kind: 'confidential' | 'public', way: (client: TestClient) => oauth.ClientAuth]
>

describe('oauth4webapi as a client of the provider', () => {
  let provider: OpenIdService
  let server: oauth.AuthorizationServer

  before(async () => {
    provider = await startOpenId()
    const issuer = new URL(provider.issuer)
    server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, HTTP))
  })
  after(() => provider.pages.stop())

  for (const [how, kind, way] of WAYS)
    it(`signs a person in, refreshes and revokes, and takes every answer for right, by ${how}`, async () => {
      const { issuer, pages } = provider
      const registered = await provider.client(`shop-${kind}-${how.replaceAll('_', '-')}`, { client: kind })
      const client: oauth.Client = { client_id: registered.id, require_auth_time: true }
      const proof = way(registered)
      const codeVerifier = oauth.generateRandomCodeVerifier()
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
      const { request_uri } = await oauth.processPushedAuthorizationResponse(
        server,
        client,
        await oauth.pushedAuthorizationRequest(
          server,
          client,
          proof,
          {
            response_type: 'code',
            redirect_uri: registered.redirectUri,
            scope: 'openid email profile roles',
            code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
            code_challenge_method: 'S256',
            max_age: '300',
            state,
            nonce,
          },
          HTTP,
        ),
      )

      const browser = newBrowser(provider)
      const asked = new URLSearchParams({ client_id: registered.id, request_uri })
      const callback = await follow(browser, issuer, `/oauth2/authorize?${asked}`)
      // It refuses an answer without `iss`, because the metadata promise one (RFC 9207).
      const answer = oauth.validateAuthResponse(server, client, new URL(callback), state)
      const exchanged = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        proof,
        answer,
        registered.redirectUri,
        codeVerifier,
        HTTP,
      )
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged, {
        expectedNonce: nonce,
        maxAge: 300,
        requireIdToken: true,
      })
      await oauth.validateApplicationLevelSignature(server, exchanged, HTTP)
      const claims = oauth.getValidatedIdTokenClaims(tokens)
      expect(claims).to.include({ sub: pages.ada.id, email: pages.ada.email, acr: 'aal1' })

      const userinfo = async (token: string) =>
        oauth.processUserInfoResponse(
          server,
          client,
          pages.ada.id,
          await oauth.userInfoRequest(server, client, token, HTTP),
        )
      expect(await userinfo(tokens.access_token)).to.include({ email: pages.ada.email })

      const refresh = async (token: string | undefined) => {
        const response = await oauth.refreshTokenGrantRequest(server, client, proof, token ?? '', HTTP)
        const renewed = await oauth.processRefreshTokenResponse(server, client, response)
        await oauth.validateApplicationLevelSignature(server, response, HTTP)
        return renewed
      }
      const renewed = await refresh(tokens.refresh_token)
      expect(renewed.refresh_token).to.be.a('string').and.not.equal(tokens.refresh_token)
      expect(decodeJwt(renewed.access_token).sid).to.equal(claims?.sid)
      expect(await userinfo(renewed.access_token)).to.include({ sub: pages.ada.id })

      const revoked = await oauth.revocationRequest(server, client, proof, renewed.refresh_token ?? '', HTTP)
      await oauth.processRevocationResponse(revoked)
      expect(await refused(() => refresh(renewed.refresh_token))).to.equal('invalid_grant')
      expect(await refused(() => userinfo(renewed.access_token))).to.equal(401)
    })

  it('logs the person out, and then gets an error for a request without a page', async () => {
    const registered = await provider.client('blog')
    const client: oauth.Client = { client_id: registered.id }
    const proof = oauth.ClientSecretBasic(registered.secret)
    const codeVerifier = oauth.generateRandomCodeVerifier()
    const challenge = await oauth.calculatePKCECodeChallenge(codeVerifier)
    const asked = (more: Readonly<Record<string, string>> = {}) => {
      const parameters = {
        client_id: registered.id,
        response_type: 'code',
        redirect_uri: registered.redirectUri,
        scope: 'openid',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...more,
      }
      return `/oauth2/authorize?${new URLSearchParams(parameters)}`
    }
    const browser = newBrowser(provider)
    const callback = new URL(await follow(browser, provider.issuer, asked()))
    const answer = oauth.validateAuthResponse(server, client, callback, oauth.expectNoState)
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        proof,
        answer,
        registered.redirectUri,
        codeVerifier,
        HTTP,
      ),
      { expectedNonce: oauth.expectNoNonce, requireIdToken: true },
    )

    const end = new URL(server.end_session_endpoint ?? '')
    const hint = { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: registered.logoutUri }
    const leading = await browser.get(`${end.pathname}?${new URLSearchParams({ ...hint, state: 'later' })}`)
    const question = await browser.get(String(leading.headers.location))
    const done = await browser.post(`${end.pathname}/confirm`, {
      ...hint,
      state: 'later',
      once: onceIn(question),
    })
    expect(done.headers.refresh).to.equal(`0; url=${registered.logoutUri}?state=later`)

    const direct = await browser.get(asked({ prompt: 'none' }))
    const back = new URL(String(direct.headers.location))
    const error = await refused(async () =>
      oauth.validateAuthResponse(server, client, back, oauth.expectNoState),
    )
    expect(error).to.equal('login_required')
    const renewal = await oauth.refreshTokenGrantRequest(
      server,
      client,
      proof,
      tokens.refresh_token ?? '',
      HTTP,
    )
    expect(await refused(() => oauth.processRefreshTokenResponse(server, client, renewal))).to.equal(
      'invalid_grant',
    )
  })
})

/** The OAuth error of an answer, or its status if the answer has a challenge instead. */
const refused = async (attempt: () => Promise<unknown>): Promise<string | number | undefined> => {
  const thrown = await attempt().then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown instanceof oauth.WWWAuthenticateChallengeError) return thrown.status
  if (thrown instanceof oauth.ResponseBodyError || thrown instanceof oauth.AuthorizationResponseError)
    return thrown.error
  throw thrown ?? new Error('It was not refused.')
}
