import * as oidc from 'openid-client'
import { type BrowserDesk, browserDesk } from '../account-pages/browser-desk.ts'
import type { PageAnswer } from '../account-pages/pages-service.ts'
import type { OpenIdService } from './openid-service.ts'

/** A client as openid-client implements it, and what it has sent with its last request. */
export type RelyingParty = Readonly<{
  config: oidc.Configuration
  redirectUri: string
  /** Makes the address of an authorization, and remembers what the answer must have. */
  begin: (more?: Readonly<Record<string, string>>) => Promise<string>
  /** Exchanges the code of an answer. */
  complete: (
    callback: string,
    checks?: oidc.AuthorizationCodeGrantChecks,
  ) => Promise<oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers>
}>

export const relyingParty = async (
  issuer: string,
  client: Readonly<{ id: string; secret: string | undefined; redirectUri: string }>,
): Promise<RelyingParty> => {
  const config = await oidc.discovery(
    new URL(issuer),
    client.id,
    undefined,
    client.secret === undefined ? oidc.None() : oidc.ClientSecretBasic(client.secret),
    { execute: [oidc.allowInsecureRequests] },
  )
  let expected: oidc.AuthorizationCodeGrantChecks = {}
  return {
    config,
    redirectUri: client.redirectUri,
    begin: async (more = {}) => {
      const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
      const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()]
      expected = { pkceCodeVerifier, expectedState, expectedNonce }
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: client.redirectUri,
        scope: 'openid email',
        code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        state: expectedState,
        nonce: expectedNonce,
        ...more,
      })
      return `${url.pathname}${url.search}`
    },
    complete: (callback, checks = {}) =>
      oidc.authorizationCodeGrant(config, new URL(callback), { ...expected, ...checks }),
  }
}

/** Follows an authorization through the pages, as a person who signs in with a password where a page asks for that. Returns where the browser leaves to. */
export const follow = async (browser: BrowserDesk, issuer: string, path: string): Promise<string> => {
  let answer = await browser.get(path)
  for (let steps = 0; steps < 10; steps += 1) {
    const to = nextOf(answer)
    if (to === undefined) throw new Error(`${answer.status} ${answer.html}`)
    const url = new URL(to, issuer)
    if (url.origin !== issuer) return to
    const next = `${url.pathname}${url.search}`
    answer = await browser.get(next)
    if (answer.status === 200 && url.pathname === '/account/sign-in')
      answer = await browser.signIn({ continue: url.searchParams.get('continue') ?? '' })
  }
  throw new Error('The pages lead round and round.')
}

const nextOf = ({ status, headers }: PageAnswer): string | undefined => {
  if (status === 303) return String(headers.location)
  return /^0; url=(.*)$/.exec(String(headers.refresh))?.[1]
}

export const newBrowser = (service: OpenIdService): BrowserDesk => browserDesk(service.pages)
