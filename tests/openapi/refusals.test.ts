import { expect } from 'chai'
import { CLIENT_ERRORS } from '../../adapters/http/operation/failures.ts'
import { Dependency, provide } from '../../adapters/index.ts'
import { SCOPES, scopeText } from '../../domain/application.ts'
import type { Answer, TestRequest } from '../support/http-client.ts'
import { FORM_TYPE } from '../support/introspection.ts'
import { mailLinkSettings } from '../support/mail-links.ts'
import { basic } from '../support/oauth.ts'
import { type Example, type Operation, operationsOf, type Placed, resolved } from '../support/open-api.ts'
import { PASSKEY_SETTINGS, permitPasskeys } from '../support/passkey-desk.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { scopedToken } from '../support/scoped-token.ts'
import { memoryIdentityProvider } from '../testkit/identity-provider/memory-identity-provider.ts'

type Tokens = Readonly<{ user: string; application: string; none: string }>

/** Changes a valid request so that it is refused for one reason. */
type Spoil = (request: TestRequest, tokens: Tokens, placed: Placed) => TestRequest

/** A body of the right type that cannot be parsed. */
const unreadable: Spoil = (request, _tokens, { operation }) => ({
  ...request,
  body: '%',
  headers: {
    ...request.headers,
    'content-type': Object.keys(operation.requestBody?.content ?? {})[0] ?? '',
  },
})

/** The change that causes each documented refusal, by its summary. */
const SPOILED: Readonly<Record<string, Spoil>> = {
  'The request has no token': ({ method, path }) => ({ method, path }),
  'The token is malformed, forged, expired or revoked, or its user or application is gone': (request) => ({
    ...request,
    token: 'nonsense',
  }),
  'The token is valid, but of the wrong kind or without the scope': (
    request,
    { user, none },
    { operation },
  ) => ({
    ...request,
    token: operation.security?.[0]?.userToken === undefined ? user : none,
  }),
  'The API keys are invalid': (_request, _tokens, { method, path, operation }) =>
    isForm(operation)
      ? {
          method,
          path,
          body: 'grant_type=client_credentials&client_id=pk_none',
          headers: { 'content-type': FORM_TYPE },
        }
      : { method, path, body: { public_api_key: 'pk_none', private_api_key: 'sk_none' } },
  'The application does not have the scope': (request) => ({
    ...request,
    body: 'grant_type=client_credentials&scope=none',
    headers: { ...request.headers, 'content-type': FORM_TYPE },
  }),
  'The grant_type is not supported': (request) => ({
    ...request,
    body: 'grant_type=password',
    headers: { ...request.headers, 'content-type': FORM_TYPE },
  }),
  'No client got the token with the scope openid': (request) => request,
  'The body is too large': (request) => ({ ...request, body: 'x'.repeat(16 * 1024 + 1) }),
  'The body has another media type or charset, or a Content-Encoding': (request) => ({
    ...request,
    body: 'x',
    headers: { ...request.headers, 'content-type': 'text/plain' },
  }),
  'The path names no tile': (request) => request,
  'The published log does not contain the tile': ({ path, ...request }) => ({
    ...request,
    path: path.replace('{path}', '9/000'),
  }),
  'There is no checkpoint': (request) => request,
  'The length of the body does not match Content-Length, or the query cannot be read or repeats a parameter':
    (request) => ({ ...request, path: `${request.path}?after=%` }),
  'The body cannot be read': unreadable,
  'The body cannot be read, or X-End-User-Address is malformed': unreadable,
  'The body cannot be read, or a parameter is missing, repeated or contradicts another': unreadable,
}

const isForm = ({ requestBody }: Operation): boolean => requestBody?.content[FORM_TYPE] !== undefined

/** Refusals tested elsewhere: internal failures, timeouts and disconnects. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'The request violates HTTP/1.1',
  'The request took too long to arrive',
  'The chunk extensions of the body are too large',
  'The Expect header is not supported',
  'The request has too many header lines',
  'The request line and the headers are too large',
  'An unexpected error',
  'The length of the body does not match Content-Length',
  ...CLIENT_ERRORS.map((error) => `The provider refuses the request: ${error}`),
  'The user was authenticated too long ago',
  'The user has neither a password nor a second factor, and an application vouched for the sign-in',
  'A user with a second factor was authenticated too long ago',
  'Too many recent failures, registrations, or starts of recoveries or confirmations',
  'Too many tokens for this application',
  'The application has no scopes',
  'The server is overloaded',
  'The client seemed to have disconnected',
  'The server cannot check passwords',
  'A key of the server is unusable',
  'The history of the store is not verifiable',
  'The application has no origins of passkeys',
  'The identity provider does not answer in time',
  'The store cannot be read or written, or the server has no answer in time',
  'The server is stopping',
  'The cursor has another epoch, and an entry before it may have been lost',
  'The log ends before the cursor',
  'Entries behind the cursor were pruned',
  'An entry of the bundle was pruned',
])

describe('each refusal in the OpenAPI document', () => {
  let running: RunningService
  let tokens: Tokens
  let refusals: ReadonlyArray<Readonly<{ placed: Placed; status: number; example: Example }>>
  before(async () => {
    running = await startService(
      { ...mailLinkSettings(), ...PASSKEY_SETTINGS, OPENID: 'on' },
      provide(Dependency.identityProviders, () => [memoryIdentityProvider()]),
    )
    await permitPasskeys(running)
    tokens = {
      user: await running.userToken(),
      application: await scopedToken(running, scopeText(SCOPES)),
      none: '',
    }
    refusals = operationsOf(resolved(running.service.openApi())).flatMap((placed) =>
      Object.entries(placed.operation.responses)
        .filter(([status]) => Number(status) >= 400 && status !== '422')
        .flatMap(([status, { content = {} }]) =>
          Object.values(content).flatMap(({ examples = {} }) =>
            Object.values(examples).map((example) => ({ placed, status: Number(status), example })),
          ),
        ),
    )
  })
  after(() => running.stop())

  const rightSoFar = ({ method, path, operation }: Placed): TestRequest => {
    const [security] = operation.security ?? []
    if (security === undefined) return { method, path }
    if (security.apiKeys !== undefined) return { method, path, headers: basic(running.keys) }
    return { method, path, token: security.userToken === undefined ? tokens.application : tokens.user }
  }

  /** A valid token without the permission that this operation requires. */
  const withoutScope = async ({ operation }: Placed): Promise<string> => {
    const [needed = ''] = operation.security?.[0]?.applicationToken ?? []
    return operation.security?.[0]?.userToken === undefined
      ? await scopedToken(
          running,
          ['users:sign_in', 'users:register'].find((scope) => scope !== needed) ?? '',
        )
      : tokens.application
  }

  it('matches the real response exactly, if a client can cause it', async () => {
    const seen = new Set<string>()
    for (const { placed, status, example } of refusals) {
      const spoil = SPOILED[example.summary]
      if (spoil === undefined) continue
      const request = spoil(rightSoFar(placed), { ...tokens, none: await withoutScope(placed) }, placed)
      const answer: Answer = await running.send(request)
      const what = `${placed.method} ${placed.path}: ${example.summary}`
      expect(answer.status, what).to.equal(status)
      expect(answer.body, what).to.deep.equal(example.value)
      seen.add(example.summary)
    }
    expect([...seen]).to.have.members(Object.keys(SPOILED))
  }).timeout(60_000)

  it('is tested here or listed as tested elsewhere', () => {
    const known = [...Object.keys(SPOILED), ...ELSEWHERE]
    for (const { example } of refusals) expect(known).to.include(example.summary)
  })
})
