import { createHash } from 'node:crypto'
import type { Service } from '../../adapters/index.ts'
import type { Credentials } from './credentials.ts'
import { basicOf } from './oauth.ts'
import { succeed } from './outcome.ts'
import { CONTEXT } from './request-context.ts'
import type { RunningService } from './running-service.ts'

export const REDIRECT_URI = 'https://shop.example.com/callback'

/** Registers an application that is a client of the OpenID provider. */
export const registerOpenIdClient = ({ service }: Readonly<{ service: Service }>) =>
  succeed(
    service.registerApplication(CONTEXT, {
      name: 'shop',
      scope: 'users:sign_in',
      redirectUris: [REDIRECT_URI],
    }),
  )

const VERIFIER = 'v'.repeat(43)

/** Signs a user in on the page, for a new client, and returns the access token that the client gets. */
export const openIdToken = async (
  { service, url }: Readonly<{ service: Service; url: string }>,
  user: Readonly<{ email: string; password: string }>,
  scope: string,
): Promise<string> => {
  const { publicApiKey, privateApiKey } = await registerOpenIdClient({ service })
  const keys = { client_id: publicApiKey.slice('pk_'.length), client_secret: privateApiKey }
  const signedIn = await fetch(`${url}/account/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(user),
  })
  const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';')[0])
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: keys.client_id,
    redirect_uri: REDIRECT_URI,
    scope,
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const authorized = await fetch(`${url}/oauth2/authorize?${request}`, {
    redirect: 'manual',
    headers: { cookie: cookie.join('; ') },
  })
  const code = new URL(authorized.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: VERIFIER,
    ...keys,
  }
  const answer = await fetch(`${url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) })
  const { access_token: token } = (await answer.json()) as { access_token: string }
  return token
}

/** What a client sends to a route that only clients of the provider can use. Undefined for all other routes. */
export const openIdCredentials = async (
  { service, port }: RunningService,
  path: string,
  { email, password }: Readonly<{ email: string; password: string }>,
): Promise<Credentials | undefined> => {
  if (path === '/oauth2/userinfo') {
    const url = `http://127.0.0.1:${port}`
    return { token: await openIdToken({ service, url }, { email, password }, 'openid email') }
  }
  if (path !== '/oauth2/par') return undefined
  const { publicApiKey, privateApiKey } = await registerOpenIdClient({ service })
  return { headers: { authorization: basicOf(publicApiKey, privateApiKey) } }
}
