import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Person } from '../../testkit/identity-provider/memory-identity-provider.ts'
import { formOf, localServer } from './local-server.ts'
import { CLIENT, type StartStandIn } from './stand-in.ts'

type Code = Readonly<{ person: Person; redirectUri: string | null; challenge: string | null }>

/** GitHub Enterprise, as docs.github.com describes its OAuth apps and its API: errors of the token route have status 200. */
export const startGitHub: StartStandIn = async ({ redirectUris }) => {
  const server = await localServer()
  const codes = new Map<string, Code>()
  const tokens = new Map<string, Person>()

  const exchange = async (request: IncomingMessage): Promise<object> => {
    const form = await formOf(request)
    if (form.get('client_id') !== CLIENT.clientId || form.get('client_secret') !== CLIENT.clientSecret)
      return { error: 'incorrect_client_credentials' }
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (code === undefined || code.challenge !== challenge) return { error: 'bad_verification_code' }
    if (code.redirectUri !== form.get('redirect_uri')) return { error: 'redirect_uri_mismatch' }
    const token = `gho_${randomUUID()}`
    tokens.set(token, code.person)
    return { access_token: token, token_type: 'bearer', scope: 'user:email' }
  }

  const callApi = ({ headers, url = '' }: IncomingMessage): readonly [status: number, body: unknown] => {
    const person = tokens.get(headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (person === undefined) return [401, { message: 'Bad credentials' }]
    const path = url.split('?')[0]
    if (path === '/api/v3/user') return [200, { id: person.id, login: `user-${person.id}`, email: null }]
    return path === '/api/v3/user/emails' ? [200, emailsOf(person)] : [404, { message: 'Not Found' }]
  }

  server.answer(async (request, response) => {
    if (request.url === '/login/oauth/access_token') return send(response, 200, await exchange(request))
    const [status, body] = callApi(request)
    send(response, status, body)
  })

  const redirectOf = (url: string): URLSearchParams => {
    const { searchParams } = new URL(url)
    if (!redirectUris.includes(searchParams.get('redirect_uri') ?? '')) throw new Error('redirect_uri')
    return new URLSearchParams({ state: searchParams.get('state') ?? '' })
  }

  return {
    issuer: server.url,
    requests: server.requests,
    signIn: async (url, person) => {
      const { searchParams } = new URL(url)
      const [code, query] = [randomUUID(), redirectOf(url)]
      codes.set(code, {
        person,
        redirectUri: searchParams.get('redirect_uri'),
        challenge: searchParams.get('code_challenge'),
      })
      query.set('code', code)
      return `?${query}`
    },
    refuse: async (url, error) => {
      const query = redirectOf(url)
      query.set('error', error)
      return `?${query}`
    },
    stop: server.stop,
  }
}

/** The primary address between others, which are verified. */
const emailsOf = ({ email, isVerified = true }: Person): ReadonlyArray<object> => [
  { email: 'old@example.com', primary: false, verified: true, visibility: null },
  ...(email === undefined ? [] : [{ email, primary: true, verified: isVerified, visibility: 'public' }]),
  { email: 'work@example.org', primary: false, verified: true, visibility: null },
]

const send = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body))
}
