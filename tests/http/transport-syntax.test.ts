import { expect } from 'chai'
import { requestText } from '../support/raw-text.ts'
import { expectHeaders, expectRefusal, get, lines, NOT_HTTP, talk } from './transport-talk.ts'

const NEITHER = 'The request is neither HTTP/1.1 nor HTTP/1.0.'

describe('the lines of a request', () => {
  const { answerTo, lastAnswerTo } = talk()

  const alive = lines('GET /healthz HTTP/1.1', 'Host: service.test', 'X: y')
  const withHeader = (line: string) => get('/healthz', line)

  const BROKEN: ReadonlyArray<[string, string]> = [
    ['line feeds only', alive.replaceAll('\r\n', '\n')],
    ['carriage returns only', alive.replaceAll('\r\n', '\r')],
    ['line feed and carriage return', alive.replaceAll('\r\n', '\n\r')],
    ['a line feed behind the request line', alive.replace('\r\n', '\n')],
    ['a line feed behind a header', alive.replace('test\r\n', 'test\n')],
    ['a line feed at the end', alive.replace(/\r\n$/, '\n')],
    ['a carriage return at the end', alive.replace(/\r\n$/, '\r')],
    ['two carriage returns behind a header', alive.replace('test\r\n', 'test\r\r\n')],
    ['a carriage return in the request line', lines('GET /healthz\r HTTP/1.1', 'Host: a')],
    ['a carriage return in a value', withHeader('X: a\rb')],
    ['a line feed in a value', withHeader('X: a\nb')],
    ['a header in a value, behind a line feed', withHeader('X: a\nY: b')],
    ['a header that goes on in the next line', withHeader('X: a\r\n b')],
    ['a header that goes on in the next line, behind a tab', withHeader('X: a\r\n\tb')],
    ['a header that goes on in an empty line', withHeader('X: a\r\n \r\n b')],
    ['a first header that begins with a space', lines('GET /healthz HTTP/1.1', ' Host: a')],
    ['a header without a colon', withHeader('X')],
    ['a header without a name', withHeader(': y')],
    ['a header of a colon', withHeader(':')],
    ['a space before the colon', withHeader('X : y')],
    ['a tab before the colon', withHeader('X\t: y')],
    ['a space before the method', ` ${alive}`],
    ['a tab for a space', alive.replace(' ', '\t')],
    ['tabs for spaces', lines('GET\t/healthz\tHTTP/1.1', 'Host: a')],
    ['a space behind the version', lines('GET /healthz HTTP/1.1 ', 'Host: a')],
    ['no target', lines('GET HTTP/1.1', 'Host: a')],
    ['no target between two spaces', lines('GET  HTTP/1.1', 'Host: a')],
    ['no method', lines('/healthz HTTP/1.1', 'Host: a')],
    ['a response line', lines('HTTP/1.1 200 OK', 'Content-Length: 0')],
  ]

  for (const [what, text] of BROKEN) {
    it(`with ${what} are 400 and end the connection`, async () => {
      expectRefusal(await lastAnswerTo(text), 400, NOT_HTTP)
    })
  }

  const CONTROLS = [...Array.from({ length: 32 }, (_, code) => code), 127].filter((code) => code !== 9)

  it('may not have control characters in a value, except the tab', async () => {
    for (const code of CONTROLS) {
      const answer = await lastAnswerTo(withHeader(`X: a${String.fromCharCode(code)}b`))
      expectRefusal(answer, 400, NOT_HTTP)
    }
    expect((await answerTo(withHeader('X: a\tb'))).status).to.equal(200)
  })

  it('may have any byte from 0x80 in a value', async () => {
    const bytes = Array.from({ length: 128 }, (_, index) => String.fromCharCode(128 + index)).join('')
    expect((await answerTo(withHeader(`X: ${bytes}`))).status).to.equal(200)
  })

  it('may have only token characters in a header name', async () => {
    const others = [...'"(),/;<=>?@[\\]{} '].map((character) => character.charCodeAt(0))
    for (const code of [...CONTROLS, 9, ...others, 128, 160, 255]) {
      const answer = await lastAnswerTo(withHeader(`X${String.fromCharCode(code)}Y: a`))
      expectRefusal(answer, 400, NOT_HTTP)
    }
  })

  it('may have any token as a header name', async () => {
    const names = ["!#$%&'*+-.^_`|~09azAZ", '__proto__', 'constructor', 'hasOwnProperty', 'toString']
    expect((await answerTo(get('/healthz', ...names.map((name) => `${name}: y`)))).status).to.equal(200)
  })

  for (const [what, text] of [
    ['an empty line before', `\r\n${alive}`],
    ['a thousand empty lines before', '\r\n'.repeat(1_000) + alive],
    ['line feeds before', `\n\n${alive}`],
    ['two spaces in the request line', lines('GET  /healthz  HTTP/1.1', 'Host: a')],
  ] as const) {
    it(`may have ${what}`, async () => {
      const answer = await answerTo(text)
      expect(answer.status).to.equal(200)
      expectHeaders(answer)
    })
  }
})

describe('the version of a request', () => {
  const { answerTo, lastAnswerTo } = talk()

  const of = (version: string) => lines(`GET /healthz ${version}`, 'Host: service.test')

  it('may be HTTP/1.1, which keeps the connection', async () => {
    expect((await answerTo(of('HTTP/1.1'))).status).to.equal(200)
  })

  it('may be HTTP/1.0, which ends the connection unless the client sends keep-alive', async () => {
    expect((await lastAnswerTo(of('HTTP/1.0'))).status).to.equal(200)
    const kept = lines('GET /healthz HTTP/1.0', 'Connection: keep-alive')
    expect((await answerTo(kept)).status).to.equal(200)
  })

  for (const version of ['HTTP/0.9', 'HTTP/2.0']) {
    it(`of ${version} is 400 and ends the connection`, async () => {
      expectRefusal(await lastAnswerTo(of(version)), 400, NEITHER)
    })
  }

  it('is required, unlike in HTTP/0.9: 400, and the connection ends', async () => {
    expectRefusal(await lastAnswerTo('GET /healthz\r\n\r\n'), 400, NEITHER)
    expectRefusal(await lastAnswerTo(lines('GET /healthz', 'Host: service.test')), 400, NEITHER)
  })

  for (const version of [
    'HTTP/0.0',
    'HTTP/1.2',
    'HTTP/1.9',
    'HTTP/1.10',
    'HTTP/01.1',
    'HTTP/11.1',
    'HTTP/3.0',
    'HTTP/9.9',
    'HTTP/1',
    'HTTP/1.',
    'HTTP/.1',
    'HTTP/2',
    'HTTP/3',
    'HTTP/-1.1',
    'HTTP/1,1',
    'HTTP/ 1.1',
    'HTTP /1.1',
    'HTTP',
    'http/1.1',
    'Http/1.1',
    'HTTPS/1.1',
    'ICE/1.0',
    'X/1.1',
    'HTTP/1.1\0',
    'HTTP/1.1x',
  ]) {
    it(`of ${JSON.stringify(version)} is 400 and ends the connection`, async () => {
      expectRefusal(await lastAnswerTo(of(version)), 400, NOT_HTTP)
    })
  }
})

describe('another protocol', () => {
  const { lastAnswerTo } = talk()

  const hello = `\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03${'\xab'.repeat(160)}`

  for (const [what, text] of [
    ['TLS', hello],
    ['TLS, cut short', hello.slice(0, 3)],
    ['SSL 2', '\x80\x2e\x01\x00\x02'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
    ['HTTP/2 behind a PRI', 'PRI * HTTP/2.0\r\n\r\n'],
    ['HTTP/2 without its version', 'PRI /healthz\r\nHost: a\r\n\r\n'],
    ['HTTP/2 without its version, and more', 'PRI *\r\n\r\nSM\r\n\r\n'],
    ['HTTP/2 without a preface', '\0\0\x12\x04\0\0\0\0\0'],
    ['HTTP/3', '\xc0\0\0\0\x01\x08'],
    ['SSH', 'SSH-2.0-OpenSSH_9.0\r\n'],
    ['SMTP', 'EHLO service.test\r\n'],
    ['Redis', '*1\r\n$4\r\nPING\r\n'],
    ['the PROXY protocol', `PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\n${requestText('GET', '/')}`],
    ['the PROXY protocol in version 2', `\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c${'\0'.repeat(12)}`],
    ['SIP', 'INVITE sip:a@service.test SIP/2.0\r\n\r\n'],
    ['zeros', '\0'.repeat(1_000)],
    ['ones', '\xff'.repeat(1_000)],
  ] as const) {
    it(`is answered with a 400 in HTTP/1.1 and ends the connection: ${what}`, async () => {
      expectRefusal(await lastAnswerTo(text), 400, NOT_HTTP)
    })
  }
})
