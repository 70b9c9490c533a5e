import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { LIMITS } from '../../adapters/credentials/openid/bounded-fetch.ts'
import { gitHubProvider } from '../../adapters/credentials/openid/github.ts'
import { formOf, type LocalServer, localServer } from '../support/identity-providers/local-server.ts'
import { CLIENT } from '../support/identity-providers/stand-in.ts'
import { succeed } from '../support/outcome.ts'
import { newRequest } from '../testkit/identity-provider.ts'
import { completed, outcomeOf } from './hostile-desk.ts'

const EMAIL = 'ada@lovelace.example'

/** What each route of GitHub answers: a status and a body. */
type Answers = Readonly<Record<string, readonly [status: number, body: unknown]>>

const HONEST: Answers = {
  '/login/oauth/access_token': [200, { access_token: 'gho_1', token_type: 'bearer', scope: 'user:email' }],
  '/api/v3/user': [200, { id: 1815, login: 'ada' }],
  '/api/v3/user/emails': [200, [{ email: EMAIL, primary: true, verified: true }]],
}

const TOKEN = '/login/oauth/access_token'
const USER = '/api/v3/user'
const EMAILS = '/api/v3/user/emails'
const ADA = { subject: '1815', verifiedEmail: some(EMAIL), authenticatedAtSeconds: none }
const WITHOUT_EMAIL = { ...ADA, verifiedEmail: none }

const OUTCOMES: ReadonlyArray<readonly [what: string, changed: Answers, outcome: object | string]> = [
  ['a user with a verified primary address', {}, ADA],
  [
    'a verified address that is not the primary one',
    {
      [EMAILS]: [
        200,
        [
          { email: EMAIL, primary: false, verified: true },
          { email: 'new@lovelace.example', primary: true, verified: false },
        ],
      ],
    },
    WITHOUT_EMAIL,
  ],
  ['no address', { [EMAILS]: [200, []] }, WITHOUT_EMAIL],
  ['addresses that the client may not read', { [EMAILS]: [404, { message: 'Not Found' }] }, WITHOUT_EMAIL],
  ['addresses that the client may not read yet', { [EMAILS]: [403, {}] }, WITHOUT_EMAIL],
  [
    'an address that is verified in words only',
    { [EMAILS]: [200, [{ email: EMAIL, primary: true, verified: 'true' }]] },
    'provider_error',
  ],
  ['addresses of another form', { [EMAILS]: [200, { email: EMAIL }] }, 'provider_error'],
  ['a used code', { [TOKEN]: [200, { error: 'bad_verification_code' }] }, 'provider_error'],
  ['a wrong client', { [TOKEN]: [404, { error: 'Not Found' }] }, 'provider_error'],
  ['a token that is not a text', { [TOKEN]: [200, { access_token: 1 }] }, 'provider_error'],
  ['a refused token', { [USER]: [401, { message: 'Bad credentials' }] }, 'provider_error'],
  ['a user without an id', { [USER]: [200, { login: 'ada' }] }, 'provider_error'],
  ['a user whose id is a text', { [USER]: [200, { id: '1815' }] }, 'provider_error'],
  ['a user whose id is 0', { [USER]: [200, { id: 0 }] }, 'provider_error'],
  ['a user whose id is not exact', { [USER]: [200, { id: 2 ** 53 }] }, 'provider_error'],
  ['a list of users', { [USER]: [200, [{ id: 1815 }]] }, 'provider_error'],
  ['a fault at the token route', { [TOKEN]: [502, {}] }, 'ProviderUnavailable'],
  ['a fault at the user', { [USER]: [500, {}] }, 'ProviderUnavailable'],
  ['a fault at the addresses', { [EMAILS]: [503, {}] }, 'ProviderUnavailable'],
  ['too many requests', { [USER]: [429, {}] }, 'ProviderUnavailable'],
  ['a redirect', { [USER]: [302, {}] }, 'ProviderUnavailable'],
]

describe('GitHub', () => {
  let server: LocalServer
  let answers = HONEST
  let sent: Array<
    Readonly<{ path: string; headers: NodeJS.Dict<string | string[]>; form: URLSearchParams }>
  > = []
  before(async () => {
    server = await localServer()
    server.answer(async (request, response) => {
      const path = request.url?.split('?')[0] ?? ''
      sent.push({ path, headers: request.headers, form: await formOf(request) })
      const [status, body] = answers[path] ?? [404, {}]
      response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' })
      response.end(JSON.stringify(body))
    })
  })
  beforeEach(() => {
    answers = HONEST
    sent = []
  })
  after(() => server.stop())

  const open = () =>
    gitHubProvider({ name: 'github', label: 'GitHub', issuer: server.url, ...CLIENT }, LIMITS)
  const answer = (state: string) => `?code=a+code&state=${state}`

  for (const [what, changed, outcome] of OUTCOMES)
    it(`answers ${what}`, async () => {
      answers = { ...HONEST, ...changed }
      const request = newRequest()
      expect(await completed(open(), answer(request.state), request)).to.deep.equal(outcome)
    })

  it('gets the code, the verifier and the client in a body, and the token in a header', async () => {
    const request = newRequest()
    await completed(open(), answer(request.state), request)
    expect(sent.map(({ path }) => path)).to.deep.equal([TOKEN, USER, EMAILS])
    expect(Object.fromEntries(sent[0]?.form ?? [])).to.deep.equal({
      ...{ client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret, code: 'a code' },
      ...{ redirect_uri: request.redirectUri, code_verifier: request.codeVerifier },
    })
    expect(sent[1]?.headers).to.include({ authorization: 'Bearer gho_1' })
    expect(sent[2]?.headers).to.include({ authorization: 'Bearer gho_1' })
  })

  it('is not asked when it cannot say when the user authenticated', async () => {
    const request = newRequest({ isAgain: true })
    expect(await completed(open(), answer(request.state), request)).to.equal('invalid_id_token')
    expect(sent).to.deep.equal([])
  })

  it('gets the state, the challenge and the hint with the browser', async () => {
    const request = newRequest()
    const url = new URL(await succeed(open().start({ ...request, loginHint: 'ada' })))
    expect(url.origin + url.pathname).to.equal(`${server.url}/login/oauth/authorize`)
    const { code_challenge, ...query } = Object.fromEntries(url.searchParams)
    expect(code_challenge).to.match(/^[\w-]{43}$/)
    expect(query).to.deep.equal({
      ...{ client_id: CLIENT.clientId, redirect_uri: request.redirectUri, state: request.state },
      ...{ scope: 'user:email', code_challenge_method: 'S256', login: 'ada' },
    })
  })

  for (const [what, body, outcome] of [
    ['passes if it knows the client', { error: 'bad_verification_code' }, 'done'],
    ['fails if it does not know the client', { error: 'incorrect_client_credentials' }, 'provider_error'],
    ['fails if it takes any code', { access_token: 'gho_1' }, 'provider_error'],
  ] as const)
    it(`is checked, which ${what}`, async () => {
      answers = { [TOKEN]: [200, body] }
      expect(await outcomeOf(open().check())).to.equal(outcome)
    })
})
