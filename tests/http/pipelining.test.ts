import { expect } from 'chai'
import { Dependency, provide } from '../../adapters/index.ts'
import type { HashingRefused } from '../../application/ports/password-hasher.ts'
import { plainHasher } from '../support/plain-hasher.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { answersIn } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { gate } from '../support/waiting.ts'

describe('pipelined requests on one connection', () => {
  const noWait = async (): Promise<HashingRefused | undefined> => undefined
  let turn = noWait
  let running: RunningService
  let token: string
  before(async () => {
    running = await startService(
      {},
      provide(Dependency.passwordHasher, () => plainHasher(() => turn())),
    )
    token = await running.applicationToken()
  })
  beforeEach(() => {
    turn = noWait
  })
  after(() => running.stop())

  const lines = (...text: ReadonlyArray<string>): string => `${text.join('\r\n')}\r\n\r\n`
  const get = (path: string, id: string, ...headers: ReadonlyArray<string>) =>
    lines(`GET ${path} HTTP/1.1`, 'Host: service.test', `X-Request-Id: ${id}`, ...headers)
  const signIn = () => {
    const body = JSON.stringify({ email: 'ada@example.com', password: 'correct horse' })
    const head = lines(
      'POST /api/v1/auth/user/token HTTP/1.1',
      'Host: service.test',
      'X-Request-Id: sign-in',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    )
    return head + body
  }

  /** The last request of `text` ends the connection, so the answers arrive without a wait. */
  const answersTo = async (text: string) => answersIn(await sendRaw(running.port, text, 1_500))

  it('are answered in order', async () => {
    const answers = await answersTo(
      get('/healthz', '1') + get('/nothing', '2') + get('/readyz', '3', 'Connection: close'),
    )
    expect(answers.map(({ status, headers }) => [headers['x-request-id'], status])).to.deep.equal([
      ['1', 200],
      ['2', 404],
      ['3', 200],
    ])
  })

  it('are answered in order, even if the first takes longest', async () => {
    const held = gate()
    turn = held.pass
    const answering = answersTo(signIn() + get('/healthz', '2', 'Connection: close'))
    await held.reached
    await running.send({ method: 'GET', path: '/healthz' })
    held.open()
    expect((await answering).map(({ status, headers }) => [headers['x-request-id'], status])).to.deep.equal([
      ['sign-in', 200],
      ['2', 200],
    ])
  })

  it('are answered up to the first invalid one, which gets 400', async () => {
    const answers = await answersTo(`${get('/healthz', '1')}${get('/nothing', '2')}rubbish\r\n\r\n`)
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 404, 400])
    expect(answers[2]?.headers).to.include({ connection: 'close', 'x-content-type-options': 'nosniff' })
    expect(answers[2]?.headers['x-request-id']).to.be.a('string')
    expect(JSON.parse(answers[2]?.body ?? '')).to.deep.equal({
      success: false,
      code: 400,
      message: 'The request is not valid HTTP/1.1.',
    })
  })

  const REFUSED: ReadonlyArray<[string, string, number]> = [
    ['invalid HTTP', 'rubbish\r\n\r\n', 400],
    [
      'a malformed body on a route without fields',
      `${lines('GET /healthz HTTP/1.1', 'Host: service.test', 'Transfer-Encoding: chunked')}rubbish\r\n`,
      400,
    ],
    [
      'a malformed body on a route with fields',
      `${lines(
        'POST /api/v1/auth/application/token HTTP/1.1',
        'Host: service.test',
        'Transfer-Encoding: chunked',
      )}rubbish\r\n`,
      400,
    ],
    [
      'an unsupported expectation',
      lines('GET /healthz HTTP/1.1', 'Host: service.test', 'Expect: miracles'),
      417,
    ],
    ['CONNECT', lines('CONNECT elsewhere.test:443 HTTP/1.1', 'Host: elsewhere.test'), 405],
  ]

  for (const [what, text, status] of REFUSED) {
    it(`are refused only after the preceding answer: ${what}`, async () => {
      const held = gate()
      turn = held.pass
      const answering = answersTo(signIn() + text)
      await held.reached
      await running.send({ method: 'GET', path: '/healthz' })
      held.open()
      const answers = await answering
      expect(answers.map((answer) => answer.status)).to.deep.equal([200, status])
      expect(answers[0]?.headers['x-request-id']).to.equal('sign-in')
      expect(JSON.parse(answers[0]?.body ?? '')).to.have.all.keys(
        'token',
        'expires_in',
        'user_id',
        'email_verified',
        'acr',
        'amr',
        'session_expires_in',
      )
    })
  }
})
