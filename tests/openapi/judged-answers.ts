import { type IncomingMessage, ServerResponse } from 'node:http'
import { type Judge, judgeBy } from './answer-judge.ts'

/**
 * Compares each response of each service in this process with that service's OpenAPI document. Mocha loads this file before
 * all tests (`--require`), and a difference fails the run; in parallel mode it fails the test file.
 */

const judges = new Map<number, Judge>()
const byDocument = new Map<string, Judge>()
const wrong: Array<string> = []
const all = new Map<string, string>()

/**
 * Compares from now on what the service on this port answers with this document.
 *
 * @returns what ends the comparison
 */
export const judgeAnswersOn = (port: number, document: string): (() => void) => {
  const judge = byDocument.get(document) ?? judgeBy(document)
  byDocument.set(document, judge)
  judges.set(port, judge)
  return () => judges.delete(port)
}

type End = (this: ServerResponse<IncomingMessage>, ...given: Array<unknown>) => ServerResponse
const original = ServerResponse.prototype.end as unknown as End

const end: End = function (this: ServerResponse<IncomingMessage>, ...given) {
  const { req, statusCode: status } = this
  const isHeard = this.socket?.writable === true // otherwise nothing of it leaves the service
  const judge = isHeard ? judges.get(req.socket.localPort ?? 0) : undefined
  if (judge === undefined) return original.apply(this, given)
  const headers = Object.fromEntries(
    Object.entries(this.getHeaders()).map(([name, value]) => [name, String(value)]),
  )
  const result = original.apply(this, given)
  const [body] = given
  wrong.push(
    ...judge({
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
