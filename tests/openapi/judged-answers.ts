import { type IncomingMessage, ServerResponse } from 'node:http'
import { type AnswerValidator, answerValidator } from './answer-validator.ts'

/**
 * Compares each response of each service in this process with that service's OpenAPI document. Mocha loads this file before
 * all tests (`--require`), and a difference fails the run; in parallel mode it fails the test file.
 */

const validators = new Map<number, AnswerValidator>()
const byDocument = new Map<string, AnswerValidator>()
const wrong: Array<string> = []
const all = new Map<string, string>()

/**
 * Starts to compare the responses of the service on this port with this document.
 *
 * @returns a function that ends the comparison
 */
export const judgeAnswersOn = (port: number, document: string): (() => void) => {
  const validate = byDocument.get(document) ?? answerValidator(document)
  byDocument.set(document, validate)
  validators.set(port, validate)
  return () => validators.delete(port)
}

/** The document describes neither the pages for people nor the root of the prefix. */
const PAGES =
  /^(?:\/auth)?\/(?:account(?:\/|$)|oauth2\/(?:authorize|end_session)(?:[/?]|$)|\.well-known\/change-password$)|\/(?:\?.*)?$/

type End = (this: ServerResponse<IncomingMessage>, ...given: Array<unknown>) => ServerResponse
const original = ServerResponse.prototype.end as unknown as End

/** Node keeps the headers of `writeHead` only as the text to send. */
const headersOf = (response: ServerResponse): Readonly<Record<string, string>> => {
  const [, ...lines] = String(Reflect.get(response, '_header')).trimEnd().split('\r\n')
  return Object.fromEntries(
    lines.map((line): [string, string] => {
      const [name = '', ...value] = line.split(': ')
      return [name.toLowerCase(), value.join(': ')]
    }),
  )
}

const end: End = function (this: ServerResponse<IncomingMessage>, ...given) {
  const { req, statusCode: status } = this
  const isHeard = this.socket?.writable === true && !PAGES.test(req.url ?? '') // otherwise the response is not sent, or of a page
  const validate = isHeard ? validators.get(req.socket.localPort ?? 0) : undefined
  if (validate === undefined) return original.apply(this, given)
  const result = original.apply(this, given)
  const headers = headersOf(this)
  const body = req.method === 'HEAD' ? '' : given[0] // Node drops it
  wrong.push(
    ...validate({
      method: req.method ?? '',
      path: req.url ?? '',
      status,
      headers,
      body: body instanceof Uint8Array || typeof body === 'string' ? Buffer.from(body).toString() : '',
    }),
  )
  return result
}
Object.assign(ServerResponse.prototype, { end })

const collect = (title: string): void => {
  for (const found of wrong.splice(0)) all.set(found, all.get(found) ?? title)
}

/** Fails after the last test, not after each one: a failed `afterEach` would stop the tests that follow. */
export const mochaHooks = {
  afterEach(this: Mocha.Context) {
    collect(this.currentTest?.fullTitle() ?? '')
  },
  afterAll: () => {
    collect('after the last test')
    const lines = [...all].map(([found, title]) => `${found} (in: ${title})`)
    all.clear() // one process runs many files in parallel mode, and reports each difference once
    if (lines.length > 0) throw new Error(`not as /openapi.json says:\n${lines.join('\n')}`)
  },
}
