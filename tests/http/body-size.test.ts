import { expect } from 'chai'
import { parseRaw, sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'

const LIMIT_BYTES = 16 * 1024
const TOKEN_PATH = '/api/v1/auth/application/token'

const TOO_LARGE = { success: false, code: 413, message: 'The body is larger than 16384 bytes.' }

/** Encodes the body as one chunk, without a Content-Length. */
const chunked = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`

describe('the size of a body', () => {
  let running: RunningService
  before(async () => {
    running = await startService()
  })
  after(() => running.stop())

  const paddedTo = (bytes: number) => JSON.stringify(running.keys).padEnd(bytes)

  const JSON_TYPE = 'Content-Type: application/json'
  const sendText = async (text: string) => parseRaw(await sendRaw(running.port, text))
  const sendChunked = (method: string, path: string, body: string, token?: string) =>
    sendText(
      requestText(method, path, [
        JSON_TYPE,
        'Transfer-Encoding: chunked',
        ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ]) + chunked(body),
    )

  it('may be exactly 16 KiB', async () => {
    const whole = await sendText(requestText('POST', TOKEN_PATH, [JSON_TYPE], paddedTo(LIMIT_BYTES)))
    expect(whole.status).to.equal(200)
    const pieces = await sendChunked('POST', TOKEN_PATH, paddedTo(LIMIT_BYTES))
    expect(pieces.status).to.equal(200)
  })

  it('is 413 above 16 KiB', async () => {
    const whole = await sendText(requestText('POST', TOKEN_PATH, [JSON_TYPE], paddedTo(LIMIT_BYTES + 1)))
    expect(whole.status).to.equal(413)
    expect(whole.body).to.deep.equal(TOO_LARGE)
    const pieces = await sendChunked('POST', TOKEN_PATH, paddedTo(LIMIT_BYTES + 1))
    expect(pieces.status).to.equal(413)
    expect(pieces.body).to.deep.equal(TOO_LARGE)
  })

  it('is counted in bytes, not in characters', async () => {
    const body = JSON.stringify({ ...running.keys, other: 'é'.repeat(LIMIT_BYTES / 2) })
    const answer = await running.send({ method: 'POST', path: TOKEN_PATH, body })
    expect(body).to.have.length.below(LIMIT_BYTES)
    expect(answer.status).to.equal(413)
  })

  it('is checked against Content-Length before the body arrives', async () => {
    const head = requestText('POST', TOKEN_PATH, [JSON_TYPE, 'Content-Length: 1000000000000'])
    expect((await sendText(head)).status).to.equal(413)
  })

  it('is checked while chunks arrive, before the body ends', async () => {
    const head = requestText('POST', TOKEN_PATH, [JSON_TYPE, 'Transfer-Encoding: chunked'])
    const piece = `1000\r\n${' '.repeat(0x1000)}\r\n`
    expect((await sendText(head + piece.repeat(5))).status).to.equal(413)
  })

  it('keeps the connection open after a 413', async () => {
    const first = requestText('POST', TOKEN_PATH, [JSON_TYPE], paddedTo(LIMIT_BYTES + 1)).replace(
      'Connection: close\r\n',
      '',
    )
    const answers = await sendRaw(running.port, first + requestText('GET', '/healthz'))
    expect(answers.match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })
})
