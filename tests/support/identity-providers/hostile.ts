import { randomUUID } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { formOf, localServer } from './local-server.ts'
import { CLIENT } from './stand-in.ts'

type Members = Readonly<Record<string, unknown>>

/** What a hostile provider does otherwise than an honest one. */
export type Deed = Readonly<{
  /** Claims of the ID token. Undefined removes one. */
  claims?: Members
  header?: Members
  /**
   * How the ID token is signed:
   *
   * - `another_key`: with a key that is not published, under the id of the published one
   * - `unknown_key`: with a key that is not published, under its own id
   * - `none`: not at all
   * - `secret`: with HS256 and the client secret
   * - `other_alg`: with ES256 and a published key, which the metadata does not name
   */
  signs?: 'another_key' | 'unknown_key' | 'none' | 'secret' | 'other_alg'
  /** Members of the answer of the token route. */
  tokens?: Members
  metadata?: Members
  /** What a route answers instead. */
  answers?: Readonly<Partial<Record<Route, RequestListener>>>
}>

export type Route = 'metadata' | 'keys' | 'token'

export type Hostile = Readonly<{
  issuer: string
  requests: ReadonlyArray<string>
  behave: (deed: Deed) => void
  /** Replaces the published key by a new one. */
  rotateKeys: () => Promise<void>
  /** Returns the query that leads back from the address of `start`. */
  answerTo: (url: string) => string
  stop: () => Promise<void>
}>

/** An OpenID provider, which is honest until it is told otherwise. It compares neither verifier nor redirect URI. */
export const startHostile = async (): Promise<Hostile> => {
  const server = await localServer()
  const issuer = server.url
  const nonces = new Map<string, string>()
  let deed: Deed = {}
  let key = await signingKey('RS256')
  const [foreign, elliptic] = [await signingKey('RS256'), await signingKey('ES256')]

  const signed = async (claims: Members): Promise<string> => {
    const { signs, header } = deed
    const sign = ({ alg, kid, privateKey }: Key) =>
      new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(privateKey)
    switch (signs) {
      case 'another_key':
        return sign({ ...foreign, kid: key.kid })
      case 'unknown_key':
        return sign(foreign)
      case 'other_alg':
        return sign(elliptic)
      case 'none':
        return `${inBase64({ alg: 'none' })}.${inBase64(claims)}.`
      case 'secret':
        return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT.clientSecret))
      default:
        return sign(key)
    }
  }

  const tokensFor = async (code: string): Promise<Members> => {
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      ...{ iss: issuer, aud: CLIENT.clientId, sub: '1815', nonce: nonces.get(code) },
      ...{ iat: now, exp: now + 60, auth_time: now },
      ...{ email: 'ada@lovelace.example', email_verified: true },
      ...deed.claims,
    }
    const id_token = await signed(JSON.parse(JSON.stringify(claims))) // without those that are undefined
    return { access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token, ...deed.tokens }
  }

  const routes: Readonly<Record<string, readonly [route: Route, answer: RequestListener]>> = {
    '/.well-known/openid-configuration': [
      'metadata',
      (_, response) =>
        sendJson(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: ['RS256'],
          authorization_response_iss_parameter_supported: true,
          ...deed.metadata,
        }),
    ],
    '/keys': [
      'keys',
      (_, response) => sendJson(response, 200, { keys: [key.published, elliptic.published] }),
    ],
    '/token': [
      'token',
      async (request, response) =>
        sendJson(response, 200, await tokensFor((await formOf(request)).get('code') ?? '')),
    ],
  }
  server.answer((request, response) => {
    const found = routes[request.url ?? '']
    if (found === undefined) return void response.writeHead(404).end()
    const [route, answer] = found
    return (deed.answers?.[route] ?? answer)(request, response)
  })

  return {
    issuer,
    requests: server.requests,
    behave: (next) => {
      deed = next
    },
    rotateKeys: async () => {
      key = await signingKey('RS256')
    },
    answerTo: (url) => {
      const { searchParams } = new URL(url)
      const code = randomUUID()
      nonces.set(code, searchParams.get('nonce') ?? '')
      return `?${new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: issuer })}`
    },
    stop: server.stop,
  }
}

type Key = Awaited<ReturnType<typeof signingKey>>

const signingKey = async (alg: string) => {
  const { privateKey, publicKey } = await generateKeyPair(alg)
  const kid = randomUUID()
  return { alg, kid, privateKey, published: { ...(await exportJWK(publicKey)), alg, kid, use: 'sig' } }
}

const inBase64 = (value: Members): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
