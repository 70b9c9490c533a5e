import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { FORM_TYPE } from '../support/introspection.ts'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { basic, basicOf, clientOf, GRANT, oauthRefusal, sendForm, TOKEN } from '../support/oauth.ts'
import { onMemory } from '../support/one-store.ts'
import { type RunningService, startService } from '../support/running-service.ts'

type Keys = RunningService['keys']
type TokenRequest = Readonly<{
  form: Readonly<Record<string, string>> | string | Uint8Array
  headers?: object
}>

const request = (message: string) => oauthRefusal(400, 'invalid_request', message)
const GRANT_MISSING = request('grant_type is missing or empty.')
const UNSUPPORTED = oauthRefusal(400, 'unsupported_grant_type', 'grant_type must be client_credentials.')
const SCOPE = oauthRefusal(400, 'invalid_scope', 'The application does not have every requested scope.')
const TWO_WAYS = request('Send either Authorization or client_secret, not both.')
const ANOTHER = request('client_id differs from the one in Authorization.')

onMemory('a refused request to /oauth2/token', (stores) => {
  let running: RunningService
  before(async () => {
    running = await startService(await stores.fresh())
  })
  after(() => running.stop())

  const byBasic = (keys: Keys, form: object): TokenRequest => ({ form: { ...form }, headers: basic(keys) })
  const scoped = (scope: string) => (keys: Keys) => byBasic(keys, { ...GRANT, scope })
  const granted = (grant_type: string) => (keys: Keys) => byBasic(keys, { grant_type })

  const REFUSED: ReadonlyArray<readonly [what: string, sent: (keys: Keys) => TokenRequest, said: object]> = [
    ['no grant_type', (keys) => byBasic(keys, {}), GRANT_MISSING],
    ['an empty grant_type', granted(''), GRANT_MISSING],
    ['no body', (keys) => ({ form: '', headers: basic(keys) }), GRANT_MISSING],
    ['neither grant_type nor keys', () => ({ form: 'x=y' }), GRANT_MISSING],
    ...[
      'password',
      'authorization_code',
      'refresh_token',
      'CLIENT_CREDENTIALS',
      'client_credentials ',
      'client_credentials\0',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
      '__proto__',
    ].map((grant) => [`grant_type ${JSON.stringify(grant)}`, granted(grant), UNSUPPORTED] as const),
    ['another grant, and no keys', () => ({ form: { grant_type: 'password' } }), UNSUPPORTED],
    ...['tokens:introspect', 'users:sign_in\tusers:register', '\u00e9'].map(
      (scope) => [`scope ${JSON.stringify(scope)}`, scoped(scope), SCOPE] as const,
    ),
    [
      'keys in the header and in the form',
      (keys) => byBasic(keys, { ...GRANT, ...clientOf(keys) }),
      TWO_WAYS,
    ],
    [
      'a secret in the form beside keys in the header',
      (keys) => byBasic(keys, { ...GRANT, client_secret: 'x' }),
      TWO_WAYS,
    ],
    [
      'wrong keys in the header and right ones in the form',
      (keys) => ({ form: { ...GRANT, ...clientOf(keys) }, headers: { authorization: basicOf('x', 'y') } }),
      TWO_WAYS,
    ],
    [
      'another client in the form than in the header',
      (keys) => byBasic(keys, { ...GRANT, client_id: `pk_${randomUUID()}` }),
      ANOTHER,
    ],
    [
      'grant_type twice',
      (keys) => ({
        form: 'grant_type=client_credentials&grant_type=client_credentials',
        headers: basic(keys),
      }),
      request('grant_type appears more than once.'),
    ],
    [
      'client_secret twice',
      () => ({ form: 'client_secret=a&client_secret=b' }),
      request('client_secret appears more than once.'),
    ],
    [
      'a malformed escape',
      (keys) => ({ form: 'grant_type=client_credentials&scope=%zz', headers: basic(keys) }),
      request('The body is not a valid form in UTF-8.'),
    ],
    [
      'invalid UTF-8',
      (keys) => ({ form: Buffer.from([0xff]), headers: basic(keys) }),
      request('The body is not a valid form in UTF-8.'),
    ],
  ]
  for (const [what, sent, said] of REFUSED) {
    it(`gets the error of the API and of OAuth: ${what}`, async () => {
      const { form, headers } = sent(running.keys)
      const answer = await sendForm(running, TOKEN, form, { ...headers })
      expect(answer.body).to.deep.equal(said)
      expect(answer.status).to.equal(400)
      expect(lastingHeaders(answer)).to.deep.equal({
        'cache-control': 'no-store',
        'content-length': String(JSON.stringify(said).length),
        'content-type': 'application/json; charset=utf-8',
        'x-content-type-options': 'nosniff',
      })
    })
  }

  it('is 413 for too large a body, 415 for another type, and invalid_request for both', async () => {
    const large = await sendForm(running, TOKEN, 'x'.repeat(16 * 1024 + 1))
    expect(large.status).to.equal(413)
    expect(large.body).to.deep.equal(
      oauthRefusal(413, 'invalid_request', 'The body is larger than 16384 bytes.'),
    )
    const json = await running.send({
      method: 'POST',
      path: TOKEN,
      body: { ...GRANT, ...clientOf(running.keys) },
    })
    expect([json.status, json.headers.accept]).to.deep.equal([415, FORM_TYPE])
    expect(json.body).to.deep.equal(
      oauthRefusal(415, 'invalid_request', `The body must be ${FORM_TYPE} in UTF-8.`),
    )
  })

  it('is not read from the query', async () => {
    const path = `${TOKEN}?${new URLSearchParams({ ...GRANT, ...clientOf(running.keys) })}`
    expect((await sendForm(running, path, 'x=y')).body).to.deep.equal(GRANT_MISSING)
  })
})
