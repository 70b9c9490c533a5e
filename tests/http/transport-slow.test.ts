import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import type { AnswerRequest } from '../../adapters/http/server/connections.ts'
import { httpServer, type Timeouts } from '../../adapters/http/server/server.ts'
import { capturedLog } from '../support/captured-log.ts'
import { freePort } from '../support/command.ts'
import { startService } from '../support/running-service.ts'
import { type StrictAnswer, strictAnswers } from '../support/strict-answers.ts'
import { expectRefusal, get, ISSUE, lines, NO_TOKEN, NOT_HTTP, TOO_LARGE, talk } from './transport-talk.ts'
import { sendSlowly, withTimeouts } from './transport-timeouts.ts'

const TOO_SLOW = 'The request took too long to arrive.'

describe('the timeouts of the server', () => {
  it('are 10 s for headers, 30 s for a request and 65 s between two', () => {
    const { server } = httpServer({ answer: new Koa().callback(), log: capturedLog().log, makeId: () => '' })
    expect(server).to.include({ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 })
  })

  it('are another one between two requests with HTTP_IDLE_TIMEOUT, which clients are told', async () => {
    const metricsPort = await freePort()
    const environment = { HTTP_IDLE_TIMEOUT: '620', METRICS_PORT: String(metricsPort) }
    const running = await startService(environment)
    try {
      for (const url of [
        `http://127.0.0.1:${running.port}/healthz`,
        `http://127.0.0.1:${metricsPort}/metrics`,
      ])
        expect((await fetch(url)).headers.get('Keep-Alive')).to.equal('timeout=620')
    } finally {
      await running.stop()
    }
  })

  it('do not end a connection between two requests that may idle longer than they are silent', async () => {
    const answer: AnswerRequest = async (_, response) => void response.end()
    const { log } = capturedLog()
    const timeouts = { keepAliveTimeout: 620_000, timeout: 120_000 }
    const { server } = httpServer({ answer, log, makeId: () => '', timeouts })
    const connected = once(server, 'connection')
    await once(server.listen(0, '127.0.0.1'), 'listening')
    await (await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).arrayBuffer()
    const [socket] = (await connected) as [Socket]
    try {
      expect(socket.timeout).to.be.least(620_000) // newer versions of Node add a second
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })
})

describe('a slow request', () => {
  const SHORT: Timeouts = {
    headersTimeout: 400,
    requestTimeout: 1_200,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 20,
    timeout: 65_000,
  }
  const { running, expectNoHarm } = talk(withTimeouts(SHORT))

  const post = (path: string, ...headers: ReadonlyArray<string>) =>
    lines(`POST ${path} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', ...headers)
  const withLength = (path: string, length = 10_000) => post(path, `Content-Length: ${length}`)
  const inChunks = (path: string) => post(path, 'Transfer-Encoding: chunked')

  /** The first bytes, the bytes that are then repeated, and the expected responses (408 by default). */
  type Rule = readonly [
    what: string,
    first: (tokens: Tokens) => string,
    more: string,
    ...answers: ReadonlyArray<readonly [number, string] | 200>,
  ]
  type Tokens = Readonly<{ application: string; user: string }>
  const bearer = (token: string) => `Authorization: Bearer ${token}`
  const NOTHING_HERE = 'Unknown path.'

  const RULES: ReadonlyArray<Rule> = [
    ['says nothing at all', () => '', ''],
    ['stops behind its request line', () => 'GET /healthz HTTP/1.1\r\n', ''],
    ['has a header letter by letter', () => 'GET /healthz HTTP/1.1\r\nHost: a\r\nX: ', 'y'],
    ['has no body', () => withLength(ISSUE), ''],
    ['has a body byte by byte', () => withLength(ISSUE), ' '],
    ['has no chunk', () => inChunks(ISSUE), ''],
    ['has chunks of a byte', () => inChunks(ISSUE), '1\r\n \r\n'],
    ['has trailers line by line', () => `${inChunks(ISSUE)}1\r\n \r\n0\r\n`, 'X: y\r\n'],
    [
      'waits for 100-continue and then for nothing',
      () => post(ISSUE, 'Expect: 100-continue', 'Content-Length: 9'),
      '',
    ],
    ['is HTTP/1.0', () => lines(`POST ${ISSUE} HTTP/1.0`, 'Content-Length: 10000'), ' '],
    [
      'has a body on a route without fields, and a token',
      ({ user }) => get('/api/v1/profile', bearer(user), 'Content-Length: 10000'),
      ' ',
    ],
    [
      'comes second, with a body byte by byte',
      () => get('/healthz') + withLength(ISSUE),
      ' ',
      200,
      [408, TOO_SLOW],
    ],
    // A request that is answered before its end gets no second response.
    ['is refused for its token', () => withLength('/api/v1/profile'), ' ', [401, NO_TOKEN]],
    ['is refused for its path', () => withLength('/nothing'), ' ', [404, NOTHING_HERE]],
    ['is refused for its length', () => withLength(ISSUE, 10 ** 9), ' ', [413, TOO_LARGE]],
    [
      'continues when it is too large',
      () => `${inChunks(ISSUE)}9000\r\n${' '.repeat(0x8000)}`,
      ' ',
      [413, TOO_LARGE],
    ],
    ['continues after invalid HTTP', () => 'rubbish\r\n\r\n', 'x', [400, NOT_HTTP]],
    [
      'asks for a proxy',
      () => lines('CONNECT a:1 HTTP/1.1', 'Host: a'),
      'x',
      [405, 'This server is not a proxy.'],
    ],
  ]

  const answers = new Map<string, Promise<ReadonlyArray<StrictAnswer>>>()
  before(async () => {
    const tokens = { application: await running().applicationToken(), user: await running().userToken() }
    for (const [what, first, more] of RULES) {
      const { ended } = await sendSlowly(running().port, first(tokens), more)
      const read = ended.then((received) => strictAnswers(received, () => false).answers)
      read.catch(() => {}) // awaited later
      answers.set(what, read)
    }
  })

  for (const [what, , , ...said] of RULES) {
    const expected = said.length === 0 ? [[408, TOO_SLOW] as const] : said
    const last = expected.at(-1)
    it(`is answered once and disconnected, even while it continues: ${last === 200 ? 200 : last?.[0]} when it ${what}`, async () => {
      const came = (await answers.get(what)) ?? []
      expect(came).to.have.length(expected.length)
      for (const [index, answer] of came.entries()) {
        const due = expected[index]
        if (due === undefined || due === 200) expect(answer.status).to.equal(200)
        else expectRefusal(answer, ...due)
      }
      if (last !== 200 && last?.[0] === 408) expect(came.at(-1)?.headers.connection).to.equal('close')
      await expectNoHarm()
    })
  }
})

describe('a slow request to a stopping service', () => {
  const { running } = talk(
    withTimeouts({
      headersTimeout: 400,
      requestTimeout: 800,
      keepAliveTimeout: 65_000,
      connectionsCheckingInterval: 20,
      timeout: 65_000,
    }),
  )

  it('gets its 408, and the service stops waiting for it', async () => {
    const slow = [
      await sendSlowly(running().port, 'GET /healthz HTTP/1.1\r\nHost: a\r\n', 'X: y\r\n'),
      await sendSlowly(running().port, get('/healthz', 'Content-Length: 10000'), 'x'),
    ]
    await running().send({ method: 'GET', path: '/readyz' })
    await running().service.stop()
    for (const { ended } of slow) {
      const [answer, ...more] = strictAnswers(await ended, () => false).answers
      expect(more).to.deep.equal([])
      if (answer === undefined) throw new Error('no answer')
      expectRefusal(answer, 408, TOO_SLOW)
    }
  })
})
