import { expect } from 'chai'
import { lastingHeaders } from '../support/lasting-headers.ts'
import { onMemory } from '../support/one-store.ts'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/api/v1/profile'

const NO_TOKEN = {
  status: 401,
  challenge: 'Bearer realm="portcullis"',
  body: {
    success: false,
    code: 401,
    message: 'This operation requires a token. Send the header Authorization: Bearer <token>.',
  },
}
const INVALID_TOKEN = {
  status: 401,
  challenge: 'Bearer realm="portcullis", error="invalid_token", error_description="The token is not valid"',
  body: {
    success: false,
    code: 401,
    message: 'The token is invalid, expired or revoked. Get a new one.',
  },
}

onMemory('the Authorization header', (stores) => {
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService(await stores.fresh())
    token = await running.userToken()
  })
  after(() => running.stop())

  const ask = async (headers: Record<string, string>) => {
    const answer = await running.send({ method: 'GET', path: PATH, headers })
    return { status: answer.status, challenge: answer.headers['www-authenticate'], body: answer.body }
  }
  const authorization = (value: string) => ask({ authorization: value })

  it('is absent: 401 with the bare challenge', async () => {
    expect(await ask({})).to.deep.equal(NO_TOKEN)
  })

  for (const scheme of ['Basic', 'DPoP', 'Token', 'BearerToken', 'Bearer-', 'v4.public']) {
    it(`counts as absent with the scheme ${scheme}`, async () => {
      expect(await authorization(`${scheme} ${token}`)).to.deep.equal(NO_TOKEN)
    })
  }

  it('counts as absent without a scheme', async () => {
    expect(await authorization(token)).to.deep.equal(NO_TOKEN)
  })

  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    it(`accepts the scheme ${scheme}`, async () => {
      expect((await authorization(`${scheme} ${token}`)).status).to.equal(200)
    })
  }

  const MALFORMED: ReadonlyArray<[string, (token: string) => string]> = [
    ['that is empty', () => 'Bearer'],
    ['of one letter', () => 'Bearer x'],
    ['in quotes', (good) => `Bearer "${good}"`],
    ['with something after a space', (good) => `Bearer ${good} ${good}`],
    ['with something after a comma', (good) => `Bearer ${good},x`],
    ['padded with an equals sign', (good) => `Bearer ${good}=`],
    [
      'with a byte changed',
      (good) => `Bearer ${good.slice(0, 20)}${good[20] === 'A' ? 'B' : 'A'}${good.slice(21)}`,
    ],
  ]

  for (const [what, header] of MALFORMED) {
    it(`with a token ${what} is 401 invalid_token`, async () => {
      expect(await authorization(header(token))).to.deep.equal(INVALID_TOKEN)
    })
  }

  it('with an application token is 403 where a user token is required', async () => {
    expect(await authorization(`Bearer ${await running.applicationToken()}`)).to.deep.equal({
      status: 403,
      challenge: 'Bearer realm="portcullis", error="insufficient_scope"',
      body: { success: false, code: 403, message: 'This operation requires a user token.' },
    })
  })

  it('with an invalid token returns the same headers as other responses', async () => {
    const answer = await running.send({ method: 'GET', path: PATH, token: 'x' })
    expect(lastingHeaders(answer)).to.deep.equal({
      'cache-control': 'no-store',
      'content-length': String(JSON.stringify(INVALID_TOKEN.body).length),
      'content-type': 'application/json; charset=utf-8',
      'www-authenticate': INVALID_TOKEN.challenge,
      'x-content-type-options': 'nosniff',
    })
  })

  it('a second Authorization header line is 400, even if both are valid', async () => {
    const lines = [`Authorization: Bearer ${token}`, `authorization: Bearer ${token}`]
    const answer = parseRaw(await sendRaw(running.port, requestText('GET', PATH, lines)))
    expect(answer.status).to.equal(400)
    expect(answer.body).to.deep.equal({
      success: false,
      code: 400,
      message: 'The request has more than one authorization header.',
    })
  })

  for (const [place, request] of [
    ['the query', () => ({ path: `${PATH}?access_token=${token}&token=${token}` })],
    [
      'a form',
      () => ({
        body: `access_token=${token}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
    ],
    ['a JSON body', () => ({ body: { access_token: token, token, authorization: `Bearer ${token}` } })],
    ['a cookie', () => ({ headers: { cookie: `access_token=${token}; authorization=Bearer ${token}` } })],
    ['a proxy’s header', () => ({ headers: { 'proxy-authorization': `Bearer ${token}` } })],
  ] as const) {
    it(`is ignored in another place: ${place}`, async () => {
      const answer = await running.send({ method: 'POST', path: PATH, ...request() })
      expect(answer.status).to.equal(401)
      expect(answer.body).to.deep.equal(NO_TOKEN.body)
      expect(answer.headers['www-authenticate']).to.equal(NO_TOKEN.challenge)
    })
  }
})
