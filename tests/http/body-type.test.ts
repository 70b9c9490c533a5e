import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const PATH = '/api/v1/auth/application/token'

describe('the type of a body', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  const send = async (headers: ReadonlyArray<string>, body = JSON.stringify(running.keys)) =>
    parseRaw(await sendRaw(running.port, requestText('POST', PATH, headers, body)))

  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; CHARSET=utf-8',
    'application/json; version=1',
    'Application/JSON',
    'application/json; charset=utf8',
    'application/json; charset=us-ascii',
  ]) {
    it(`may be ${type}`, async () => {
      expect((await send([`Content-Type: ${type}`])).status).to.equal(200)
    })
  }

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/problem+json',
    'application/json, text/plain',
    'text/plain, application/json',
    'application/json charset=utf-8',
    'application/json; charset=latin1',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-8; charset=iso-8859-1',
    '',
  ]) {
    it(`is 415 for ${type || 'an empty type'}`, async () => {
      const answer = await send([`Content-Type: ${type}`])
      expect(answer.status).to.equal(415)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 415,
        message: 'The body must be application/json in UTF-8.',
      })
    })
  }

  it('is 415 without a Content-Type', async () => {
    expect((await send([])).status).to.equal(415)
  })

  it('is 400 for two Content-Type lines', async () => {
    const answer = await send(['Content-Type: application/json', 'Content-Type: application/json'])
    expect(answer.status).to.equal(400)
  })

  for (const encoding of ['gzip', 'GZIP', 'deflate', 'br', 'x-unknown', 'identity, gzip']) {
    it(`is 415 with the content encoding ${encoding}`, async () => {
      const answer = await send(['Content-Type: application/json', `Content-Encoding: ${encoding}`])
      expect(answer.status).to.equal(415)
      expect(answer.body).to.deep.equal({
        success: false,
        code: 415,
        message: 'The body must not have a Content-Encoding.',
      })
    })
  }

  it('is 415 with a body that is encoded as Content-Encoding says', async () => {
    const answer = await running.send({
      method: 'POST',
      path: PATH,
      body: gzipSync(JSON.stringify(running.keys)),
      headers: { 'content-encoding': 'gzip' },
    })
    expect(answer.status).to.equal(415)
  })

  for (const [what, headers] of [
    ['no headers', []],
    ['another type', ['Content-Type: text/plain']],
    ['an encoding', ['Content-Type: application/json', 'Content-Encoding: gzip']],
    ['a length of 0', ['Content-Type: text/plain', 'Content-Length: 0']],
  ] as const) {
    it(`is ignored without a body, with ${what}: the body counts as {}`, async () => {
      const answer = await send(headers, '')
      expect(answer.status).to.equal(422)
      expect(answer.body.errors.map(({ code }: { code: number }) => code)).to.deep.equal([1, 2])
    })
  }

  it('is ignored with an empty chunked body, which counts as {}', async () => {
    const text = requestText('POST', PATH, ['Content-Type: text/plain', 'Transfer-Encoding: chunked'])
    expect(parseRaw(await sendRaw(running.port, `${text}0\r\n\r\n`)).status).to.equal(422)
  })
})
