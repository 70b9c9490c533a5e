import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import type { BrowserDesk } from '../account-pages/browser-desk.ts'
import {
  authorization,
  bearer,
  exchangeOf,
  type JsonAnswer,
  json,
  type Sent,
  STATE,
  sendAs,
  toldClient,
} from './code-flow.ts'
import type { OpenIdService, TestClient } from './openid-service.ts'
import { newBrowser } from './relying-party.ts'

/** What a client got from the token endpoint. */
export type Tokens = Readonly<{
  access_token: string
  id_token: string
  refresh_token: string
  token_type: string
  expires_in: number
  scope: string
}>

/** An authorization up to its tokens, which were checked as the conformance suite checks all of them. */
export type Flow = Readonly<{
  code: string
  tokens: Tokens
  claims: JWTPayload
  pages: ReadonlyArray<string>
}>

/** What the conformance suite does, with a provider and a client as it has them: its client sends no PKCE. */
export type ConformanceDesk = Readonly<{
  provider: OpenIdService
  client: TestClient
  browser: BrowserDesk
  /** Makes an authorization and exchanges its code. */
  flow: (more?: Sent, method?: 'GET' | 'POST', client?: TestClient) => Promise<Flow>
  /** Makes an authorization, with all pages that come. Returns what the client is told, and the pages. */
  authorize: (
    more?: Sent,
    method?: 'GET' | 'POST',
    client?: TestClient,
  ) => Promise<Readonly<{ told: Readonly<Record<string, string>>; pages: ReadonlyArray<string> }>>
  exchange: (code: string, client?: TestClient) => Promise<JsonAnswer>
  userinfo: (accessToken: string) => Promise<JsonAnswer>
  idToken: (token: string, nonce: string | undefined, client?: TestClient) => Promise<JWTPayload>
}>

export const WITHOUT_PKCE: Sent = { code_challenge: undefined, code_challenge_method: undefined }

/** A new client and a new browser. */
export const conformanceDesk = async (provider: OpenIdService): Promise<ConformanceDesk> => {
  const suite = await provider.client('suite', { pkce: 'optional' })
  const browser = newBrowser(provider)
  const { pages, issuer } = provider

  /** Follows all redirects inside the service, and proves who Ada is where a page asks. */
  const authorize: ConformanceDesk['authorize'] = async (more = {}, method = 'GET', client = suite) => {
    const first = new URL(authorization(client, { ...WITHOUT_PKCE, ...more }), issuer)
    const shown: Array<string> = []
    let answer =
      method === 'GET'
        ? await browser.get(`${first.pathname}${first.search}`)
        : await browser.post(first.pathname, Object.fromEntries(first.searchParams))
    for (let steps = 0; steps < 10; steps += 1) {
      const { location = /^0; url=(.*)$/.exec(String(answer.headers.refresh))?.[1] } = answer.headers
      if (location === undefined) throw new Error(`${answer.status} ${answer.html}`)
      const to = new URL(String(location), issuer)
      if (to.origin !== issuer) return { told: toldClient(answer, client), pages: shown }
      answer = await browser.get(`${to.pathname}${to.search}`)
      if (!to.pathname.startsWith('/account/')) continue
      shown.push(to.pathname)
      const onward = { continue: to.searchParams.get('continue') ?? '' }
      const { password } = pages.ada
      answer =
        to.pathname === '/account/step-up'
          ? await browser.post(to.pathname, { password, ...onward })
          : await browser.signIn(onward)
    }
    throw new Error('The pages lead round and round.')
  }

  const exchange: ConformanceDesk['exchange'] = (code, client = suite) =>
    sendAs(provider, client, { ...exchangeOf(client, code), code_verifier: undefined })

  const idToken: ConformanceDesk['idToken'] = async (token, nonce, client = suite) => {
    const keys = json(await pages.get('/.well-known/openid-jwks.json')).body
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(keys as never), {
      issuer,
      audience: client.id,
      algorithms: ['RS256'],
      requiredClaims: ['sub', 'exp', 'iat'],
    })
    expect(protectedHeader.kid).to.be.a('string')
    expect([payload.sub, payload.nonce]).to.deep.equal([pages.ada.id, nonce])
    return payload
  }

  const flow: ConformanceDesk['flow'] = async (more = {}, method = 'GET', client = suite) => {
    const nonce = 'nonce' in more ? more.nonce : randomBytes(32).toString('base64url')
    const { told, pages: shown } = await authorize({ ...more, nonce }, method, client)
    expect(told).to.deep.equal({ code: told.code, state: STATE, iss: issuer })
    const { code = '' } = told
    const answer = await exchange(code, client)
    expect([answer.status, answer.headers['content-type']]).to.deep.equal([
      200,
      'application/json; charset=utf-8',
    ])
    const tokens = answer.body as Tokens
    expect([tokens.token_type, tokens.expires_in > 0]).to.deep.equal(['Bearer', true])
    const claims = await idToken(tokens.id_token, nonce, client)
    const { status, body } = await userinfo(tokens.access_token)
    expect([status, body.sub]).to.deep.equal([200, claims.sub])
    return { code, tokens, claims, pages: shown }
  }

  const userinfo: ConformanceDesk['userinfo'] = async (token) =>
    json(await pages.get('/oauth2/userinfo', bearer(token)))

  return { provider, client: suite, browser, flow, authorize, exchange, userinfo, idToken }
}
