import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { Dependency, type Module, provide } from '../../adapters/index.ts'
import { capturedLog } from '../support/captured-log.ts'
import { sendRaw } from '../support/raw-connection.ts'
import { requestText } from '../support/raw-text.ts'
import { type RunningService, startService } from '../support/running-service.ts'
import { type StrictAnswer, strictAnswers } from '../support/strict-answers.ts'

export const NOT_HTTP = 'The request is not valid HTTP/1.1.'
export const HEADERS_TOO_LARGE = 'The request line and headers are larger than 16384 bytes.'
export const TOO_LARGE = 'The body is larger than 16384 bytes.'
export const NO_TOKEN = 'This operation requires a token. Send the header Authorization: Bearer <token>.'

/** The path of a route with fields and without a token. */
export const ISSUE = '/api/v1/auth/application/token'

/** A request line and header lines as sent, with the final empty line. */
export const lines = (...text: ReadonlyArray<string>): string => `${text.join('\r\n')}\r\n\r\n`

export const get = (target: string, ...headers: ReadonlyArray<string>): string =>
  lines(`GET ${target} HTTP/1.1`, 'Host: service.test', ...headers)

const NEXT_ID = 'the-next'

/** This request is answered only when the service knows where the preceding request ends. */
const NEXT = requestText('GET', '/healthz', [`X-Request-Id: ${NEXT_ID}`])

/** A response that has not arrived by then does not arrive. */
const QUIET_MS = 5_000

export type Talk = Readonly<{
  running: () => RunningService
  /** The lines of the service’s log. */
  log: ReadonlyArray<string>
  /** Checks that the service still answers and logged nothing unexpected. */
  expectNoHarm: () => Promise<void>
  /**
   * All responses to a text on a new connection, followed by a request with Connection: close. Checks that the
   * service ends the connection and is not harmed.
   *
   * @param text one character per byte
   */
  answersTo: (text: string) => Promise<ReadonlyArray<StrictAnswer>>
  /** The only response to a request that ends the connection: the following request has none. */
  lastAnswerTo: (text: string) => Promise<StrictAnswer>
  /** The response to a request that keeps the connection: the following request is answered, too. */
  answerTo: (text: string) => Promise<StrictAnswer>
}>

/** Starts a service for a `describe`. */
export const talk = (...modules: ReadonlyArray<Module>): Talk => {
  const { log, lines: logged } = capturedLog()
  let service: RunningService
  before(async () => {
    service = await startService(
      {},
      provide(Dependency.log, () => log),
      ...modules,
    )
  })
  after(() => service.stop())

  let seen = 0
  const expectNoHarm = async () => {
    expect((await service.send({ method: 'GET', path: '/readyz' })).body).to.deep.equal({ status: 'ready' })
    const lines = logged.slice(seen)
    seen = logged.length
    expect(lines.filter((line) => JSON.parse(line).level > WARNING)).to.deep.equal([])
  }

  const answersTo = async (text: string) => {
    const received = await sendRaw(service.port, Buffer.from(text + NEXT, 'latin1'), QUIET_MS)
    const { answers, rest } = strictAnswers(received, () => 'perhaps')
    expect(rest, 'no whole answer').to.equal('')
    expect(answers.at(-1)?.headers.connection, received).to.equal('close')
    await expectNoHarm()
    return answers
  }

  return {
    running: () => service,
    log: logged,
    expectNoHarm,
    answersTo,
    lastAnswerTo: async (text) => {
      const [answer, ...more] = await answersTo(text)
      if (answer === undefined) throw new Error('no answer')
      expect(more.map(({ text }) => text)).to.deep.equal([])
      return answer
    },
    answerTo: async (text) => {
      const [answer, next, ...more] = await answersTo(text)
      if (answer === undefined || next === undefined)
        throw new Error(`no answer to the next: ${answer?.text}`)
      expect(more.map(({ text }) => text)).to.deep.equal([])
      expect(answer.headers.connection).to.equal('keep-alive')
      expect(next.status).to.equal(200)
      expect(next.headers['x-request-id']).to.equal(NEXT_ID)
      return answer
    },
  }
}

export type Connected = Readonly<{
  socket: Socket
  /** Everything received so far, one character per byte. */
  received: () => string
  /** Resolves when the connection has ended, on either side and for any reason. */
  closed: Promise<unknown>
}>

/** A new connection that sends every written piece separately. */
export const connected = async (port: number): Promise<Connected> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
  const chunks: Array<Buffer> = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('end', () => socket.end())
  socket.on('error', (error: Error & { code?: string }) => {
    // A write to a server that has ended the connection.
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  return { socket, received: () => Buffer.concat(chunks).toString('latin1'), closed }
}

/** pino’s number for `warn`. Higher levels are unexpected. */
const WARNING = 40

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Checks that a response to a request without an id is a complete refusal in the envelope. */
export const expectRefusal = (answer: StrictAnswer, status: number, message: string): void => {
  expect([answer.status, answer.body]).to.deep.equal([
    status,
    JSON.stringify({ success: false, code: status, message }),
  ])
  expectHeaders(answer)
}

/**
 * Checks the headers that every response with a body has, for a request without an id. Only responses with an ETag
 * are cacheable.
 */
export const expectHeaders = ({ headers }: StrictAnswer): void => {
  expect(headers['x-request-id']).to.match(UUID)
  expect(headers['cache-control']).to.match(
    headers.etag === undefined ? /^no-store$/ : /^public, max-age=60(?:, must-revalidate)?$/,
  )
  expect(headers).to.deep.include({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
  })
  expect(headers.date).to.be.a('string')
}
