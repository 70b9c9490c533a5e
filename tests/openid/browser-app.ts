import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import * as oidc from 'openid-client'
import { freePort } from '../support/command.ts'

/** What an application learns, or the error that it gets. It shows this on its page. */
export type Shown = Readonly<{
  sub?: string
  acr?: string
  amr?: ReadonlyArray<string>
  email?: string
  method?: string
  /** The header `Origin`. */
  from?: string
  idToken?: string
  error?: string
}>

/** An application of another site with a server: it begins authorizations, and shows what it learns. */
export type BrowserApp = Readonly<{
  origin: string
  redirectUri: string
  logoutUri: string
  /** Where a person begins, with more parameters of the request. */
  start: (more?: Readonly<Record<string, string>>) => string
  /** Begins to serve, as a client of the provider. */
  connect: (issuer: string, client: Readonly<{ id: string; secret: string }>, page?: string) => Promise<void>
  stop: () => Promise<void>
}>

/** The pages of the provider are on `localhost`, so this address is another site. */
export const newBrowserApp = async (): Promise<BrowserApp> => {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const redirectUri = `${origin}/callback`
  const pending = new Map<string, oidc.AuthorizationCodeGrantChecks>()
  let config: oidc.Configuration | undefined
  let ownPage = ''

  const begin = async (more: Readonly<Record<string, string>>): Promise<string> => {
    if (config === undefined) throw new Error('The application is not connected.')
    const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
    const [expectedState, expectedNonce] = [oidc.randomState(), oidc.randomNonce()]
    pending.set(expectedState, { pkceCodeVerifier, expectedState, expectedNonce })
    return oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid email',
      code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
      ...more,
    }).href
  }

  /** Each answer counts once, by its state. */
  const learn = async (message: IncomingMessage, url: URL): Promise<Shown> => {
    const { method = '' } = message
    const body = method === 'POST' ? await text(message) : ''
    const sent = method === 'POST' ? new URLSearchParams(body) : url.searchParams
    const checks = pending.get(sent.get('state') ?? '')
    pending.delete(sent.get('state') ?? '')
    if (config === undefined || checks === undefined) return { error: 'unknown state' }
    const answer =
      method === 'POST'
        ? new Request(url, {
            method,
            body,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
          })
        : url
    try {
      const tokens = await oidc.authorizationCodeGrant(config, answer, checks)
      const { sub, acr, amr, email }: Partial<oidc.IDToken> = tokens.claims() ?? {}
      return { sub, acr, amr, email, method, from: message.headers.origin, idToken: tokens.id_token } as Shown
    } catch (error) {
      return { error: error instanceof oidc.AuthorizationResponseError ? error.error : String(error) }
    }
  }

  const server = createServer(async (message, response) => {
    const url = new URL(message.url ?? '/', origin)
    if (url.pathname === '/start') {
      const location = await begin(Object.fromEntries(url.searchParams))
      response.writeHead(303, { Location: location }).end()
      return
    }
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    if (url.pathname === '/page') response.end(ownPage)
    else if (url.pathname === '/callback') response.end(pageOf('Shop', await learn(message, url)))
    else response.end(pageOf('Bye', Object.fromEntries(url.searchParams)))
  })

  return {
    origin,
    redirectUri,
    logoutUri: `${origin}/bye`,
    start: (more = {}) => `${origin}/start?${new URLSearchParams(more)}`,
    connect: async (issuer, { id, secret }, page = '') => {
      ownPage = page
      config = await oidc.discovery(new URL(issuer), id, undefined, oidc.ClientSecretBasic(secret), {
        execute: [oidc.allowInsecureRequests],
      })
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const pageOf = (heading: string, shown: object): string =>
  `<!doctype html><link rel="icon" href="data:,"><title>${heading}</title><h1>${heading}</h1><pre>${JSON.stringify(shown).replaceAll('<', '&lt;')}</pre>`
