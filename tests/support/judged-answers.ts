import { type IncomingMessage, ServerResponse } from 'node:http'
import { type Judge, judgeBy } from './answer-judge.ts'

/**
 * Whatever a service in this process answers to anybody is compared with the description that it gives of itself, and the
 * run fails where they differ. Loaded by mocha before all tests (`--require`).
 */

const judges = new Map<number, Judge>()
const byDocument = new Map<string, Judge>()
const wrong: Array<string> = []
let judged = 0

/**
 * What listens on this port is described by this document.
 *
 * @returns ends that
 */
export const judgeAnswersOn = (port: number, document: string): (() => void) => {
  const judge = byDocument.get(document) ?? judgeBy(document)
  byDocument.set(document, judge)
  judges.set(port, judge)
  return () => judges.delete(port)
}

/** How many answers were judged until now. */
export const answersJudged = (): number => judged

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
  judged += 1
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

/** What fails is the run as a whole: a hook that fails behind one test would keep the others from running. */
export const mochaHooks = {
  afterEach(this: Mocha.Context) {
    for (const found of wrong.splice(0)) all.set(found, all.get(found) ?? this.currentTest?.fullTitle() ?? '')
  },
  afterAll: () => {
    const lines = [...all].map(([found, title]) => `${found} (in: ${title})`)
    if (lines.length > 0) throw new Error(`not as /openapi.json says:\n${lines.join('\n')}`)
  },
}

const all = new Map<string, string>()
