import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Provider } from 'oidc-provider/lib/provider.js'
import type { Person } from '../../testkit/identity-provider/memory-identity-provider.ts'
import { keptEntries } from './kept-entries.ts'
import { localServer } from './local-server.ts'
import { CLIENT, type StartStandIn } from './stand-in.ts'

type Variant = Readonly<{
  /** Between the address of the server and `/.well-known/`. */
  path: string
  authentication: 'client_secret_post' | 'client_secret_basic'
  claimsOf: (person: Person) => Readonly<Record<string, unknown>>
}>

/** Claims as Google sends them (developers.google.com/identity/openid-connect). */
const GOOGLE: Variant = {
  path: '',
  authentication: 'client_secret_post',
  claimsOf: ({ email, isVerified = true }) => ({
    email,
    email_verified: isVerified,
    ...(email?.endsWith('@gmail.com') ? {} : { hd: email?.split('@')[1] }),
  }),
}

/** Claims as Entra sends them, with the optional claims `email` and `xms_edov`, and never `email_verified`. */
const ENTRA: Variant = {
  path: '/9f4a7c1e-0d2b-4b55-8f43-2f6f5d1c7a90/v2.0',
  authentication: 'client_secret_basic',
  claimsOf: ({ email, isVerified = true }) => ({
    email,
    xms_edov: isVerified,
    tid: ENTRA.path.split('/')[1],
  }),
}

let made: object | undefined

/** Making a key takes a tenth of a second. */
const signingKey = (): object => {
  made ??= {
    ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
    ...{ use: 'sig', alg: 'RS256', kid: 'stand-in' },
  }
  return made
}

/** Stand-ins made of oidc-provider, an implementation that is certified. */
const startVariant =
  ({ path, authentication, claimsOf }: Variant): StartStandIn =>
  async ({ redirectUris }) => {
    const server = await localServer()
    const issuer = server.url + path
    const people = new Map<string, Person>()
    const provider = new Provider(issuer, {
      adapter: keptEntries(),
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: redirectUris,
          response_types: ['code'],
          grant_types: ['authorization_code'],
          token_endpoint_auth_method: authentication,
        },
      ],
      clientAuthMethods: [authentication],
      claims: { openid: ['sub', 'tid'], email: ['email', 'email_verified', 'hd', 'xms_edov'] },
      conformIdTokenClaims: false, // both send them in the ID token
      cookies: { keys: ['a key of the tests'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_: unknown, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, ...claimsOf(people.get(id) ?? { id: Number(id) }) }),
      }),
      interactions: { url: () => `${path}/interaction` },
      jwks: { keys: [signingKey()] },
      loadExistingGrant: async ({ oidc }: Context) => {
        const { accountId } = oidc.session
        const grant = new provider.Grant({ accountId, clientId: oidc.client.clientId })
        grant.addOIDCScope('openid email')
        await grant.save()
        return grant
      },
      pkce: { required: () => true },
      ttl: Object.fromEntries(
        ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session'].map((name) => [
          name,
          600,
        ]),
      ),
    })
    const callback = provider.callback()
    let result: object = {}
    server.answer((request, response) => {
      const isInteraction = request.url?.startsWith(`${path}/interaction`)
      if (isInteraction) return void provider.interactionFinished(request, response, result)
      return void below(path, request, response, callback)
    })

    /** Follows the redirects of one browser until they lead away. */
    const visit = async (start: string): Promise<string> => {
      const jar = new Map<string, string>()
      for (let url = start; ; ) {
        const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
        const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
        for (const line of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
          if (value === '') jar.delete(name)
          else jar.set(name, value)
        }
        const location = response.headers.get('location')
        if (location === null) throw new Error(`${response.status} at ${url}: ${await response.text()}`)
        const next = new URL(location, url)
        if (!next.href.startsWith(server.url)) return next.search
        url = next.href
      }
    }

    return {
      issuer,
      requests: server.requests,
      signIn: (url, person) => {
        people.set(String(person.id), person)
        result = { login: { accountId: String(person.id) } }
        return visit(url)
      },
      refuse: (url, error) => {
        result = { error }
        return visit(url)
      },
      stop: server.stop,
    }
  }

type Context = Readonly<{ oidc: Readonly<{ session: { accountId: string }; client: { clientId: string } }> }>

/** Calls the library below a path, as Express does. */
const below = async (
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  callback: ReturnType<Provider['callback']>,
): Promise<void> => {
  const { url = '' } = request
  if (!url.startsWith(`${path}/`)) return void response.writeHead(404).end()
  Object.assign(request, { originalUrl: url, url: url.slice(path.length) })
  const ended = once(response, 'close')
  await callback(request, response)
  await ended
}

export const startGoogle = startVariant(GOOGLE)
export const startEntra = startVariant(ENTRA)
