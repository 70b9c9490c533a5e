import { expect } from 'chai'
import { sendRaw } from '../support/raw-connection.ts'
import { answersIn, requestText } from '../support/raw-text.ts'
import {
  expectHeaders,
  expectRefusal,
  get,
  ISSUE,
  lines,
  NO_TOKEN,
  NOT_HTTP,
  TOO_LARGE,
  talk,
} from './transport-talk.ts'

const PATHS = ['/healthz', '/api/v1/profile', ISSUE, '/nothing']

describe('a header that may occur only once', () => {
  const { answerTo, lastAnswerTo } = talk()

  for (const [name, values] of [
    ['Host', ['a', 'b']],
    ['Host', ['a', 'a']],
    ['Host', ['', '']],
    ['Authorization', ['Bearer x', 'Bearer x']],
    ['Authorization', ['Bearer x', 'Basic eDp5']],
    ['Authorization', ['', 'Bearer x']],
    ['Content-Type', ['application/json', 'application/json']],
    ['Content-Type', ['application/json', 'text/plain']],
    ['Content-Type', ['', '']],
    ['Content-Encoding', ['identity', 'identity']],
    ['Content-Encoding', ['identity', 'gzip']],
  ] as const) {
    it(`is ${name}: "${values.join('" and "')}" are 400 on every path, in any order and case`, async () => {
      const [one, other] = [`${name}: ${values[0]}`, `${name}: ${values[1]}`]
      const host = name === 'Host' ? [] : ['Host: a']
      for (const path of PATHS) {
        for (const headers of [
          [one, other],
          [other, one],
          [one, 'X: y', other.replace(name, name.toUpperCase())],
          [one, other.replace(name, name.toLowerCase()), other],
        ]) {
          const answer = await answerTo(lines(`GET ${path} HTTP/1.1`, ...host, ...headers))
          expectRefusal(answer, 400, `The request has more than one ${name.toLowerCase()} header.`)
        }
      }
    })
  }

  it('is Content-Length, whose repetition the parser refuses', async () => {
    for (const path of PATHS) {
      expectRefusal(await lastAnswerTo(get(path, 'Content-Length: 0', 'Content-Length: 0')), 400, NOT_HTTP)
    }
  })

  it('is not one of those that the service ignores', async () => {
    const twice = ['Accept', 'Cookie', 'User-Agent', 'X-Forwarded-For', 'Referer', 'Range', 'If-None-Match']
    const headers = [...twice, ...twice].map((name, index) => `${name}: ${index}`)
    expect((await answerTo(get('/healthz', ...headers))).status).to.equal(200)
  })
})

describe('the Host header', () => {
  const { answerTo } = talk()

  const of = (host: string) => answerTo(lines('GET /healthz HTTP/1.1', `Host: ${host}`))

  for (const host of [
    '',
    'a',
    'a:',
    'a:80',
    'a:99999999999',
    'A.B.C',
    'a.',
    '-_~.',
    'a%20b',
    "!$&'()*+,;=",
    '127.0.0.1:1',
    '[::1]',
    '[::1]:80',
    '  a\t',
    'a'.repeat(10_000),
  ]) {
    it(`may be ${JSON.stringify(host.slice(0, 20))}`, async () => {
      expect((await of(host)).status).to.equal(200)
    })
  }

  for (const host of [
    'a b',
    'a\tb',
    'a/',
    'a/b',
    'a?',
    'a#b',
    'a@b',
    'a:b@c',
    'a:x',
    'a:80:80',
    'a:-1',
    'a\\b',
    'a"',
    '<a>',
    '{a}',
    'http://a',
    '::1',
    '[::1',
    '[::1]x',
    '[]',
    '[g]',
    '\xe9',
  ]) {
    it(`of ${JSON.stringify(host)} is 400`, async () => {
      expectRefusal(await of(host), 400, 'The host header is invalid.')
    })
  }

  it('is required in HTTP/1.1, even with an absolute target', async () => {
    for (const target of ['/healthz', 'http://service.test/healthz', '*']) {
      expectRefusal(
        await answerTo(lines(`GET ${target} HTTP/1.1`, 'X: y')),
        400,
        'The request has no host header.',
      )
    }
  })
})

describe('Expect', () => {
  const { running, answerTo, lastAnswerTo } = talk()

  const UNMET = 'Expect must be 100-continue.'

  for (const value of [
    '',
    '200-ok',
    '100',
    '100-continued',
    '100-continue;x',
    '100-continue, x',
    'x, 100-continue',
  ]) {
    it(`of "${value}" is 417 and ends the connection`, async () => {
      for (const path of PATHS) expectRefusal(await lastAnswerTo(get(path, `Expect: ${value}`)), 417, UNMET)
    })
  }

  it('on two lines is 417 and ends the connection', async () => {
    const twice = ['Expect: 100-continue', 'Expect: 100-continue']
    expectRefusal(await lastAnswerTo(get('/healthz', ...twice)), 417, UNMET)
  })

  for (const value of ['100-continue', '100-Continue', '100-CONTINUE']) {
    it(`may be ${value}, with a body and without one`, async () => {
      const answer = await answerTo(get('/healthz', `Expect: ${value}`))
      expect(answer.status).to.equal(200)
      expectHeaders(answer)
      const head = ['Content-Type: application/json', `Expect: ${value}`]
      const text = requestText('POST', ISSUE, head, JSON.stringify(running().keys))
      const answers = answersIn(await sendRaw(running().port, text))
      expect(answers.map(({ status }) => status)).to.deep.equal([100, 200])
    })
  }

  it('is not answered with 100 when the request is refused before its body is read', async () => {
    const post = (path: string, length: number) =>
      lines(
        `POST ${path} HTTP/1.1`,
        'Host: a',
        'Expect: 100-continue',
        `Content-Length: ${length}`,
        'Connection: close',
      )
    expectRefusal(await lastAnswerTo(post(ISSUE, 100_000)), 413, TOO_LARGE)
    expectRefusal(await lastAnswerTo(post('/nothing', 5)), 404, 'Unknown path.')
    expectRefusal(await lastAnswerTo(post('/api/v1/profile', 5)), 401, NO_TOKEN)
  })

  it('is ignored in HTTP/1.0', async () => {
    const answers = answersIn(
      await sendRaw(running().port, lines('GET /healthz HTTP/1.0', 'Expect: 100-continue')),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal([200])
  })
})
