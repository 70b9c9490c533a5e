import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { type Gate, gate } from '../support/waiting.ts'

/** A request as the server received it. */
export type Seen = Readonly<{
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}>

/** One answer of a script. `body` reads the request completely. */
export type Play = (
  request: IncomingMessage,
  response: ServerResponse,
  body: () => Promise<string>,
) => unknown

/** A server on a real socket. It answers as a script says, and faults are part of the script. */
export type FaultyServer = Readonly<{
  url: string
  /** The requests, except those for an application token. */
  seen: Array<Seen>
  /** The requests for an application token. */
  tokenRequests: Array<Seen>
  /** Adds answers to the script. A request beyond its end gets 418. */
  plays: (...answers: ReadonlyArray<Play>) => void
  /** Adds answers to requests for an application token. Beyond them, each request gets a new token. */
  playsTokens: (...answers: ReadonlyArray<Play>) => void
  /** Closes port and connections. */
  stop: () => Promise<void>
  /** Listens on the same port again. */
  start: () => Promise<void>
}>

const TOKEN_PATH = '/api/v1/auth/application/token'

export const startFaultyServer = async (): Promise<FaultyServer> => {
  const seen: Array<Seen> = []
  const tokenRequests: Array<Seen> = []
  const script: Array<Play> = []
  const tokenScript: Array<Play> = []

  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const isForToken = path.startsWith(TOKEN_PATH)
    const list = isForToken ? tokenRequests : seen
    const index = list.push({ method, path, headers, body: '' }) - 1
    const body = async () => {
      const text = await textOf(request)
      list[index] = { method, path, headers, body: text }
      return text
    }
    // A kept connection would let the client notice a stop late.
    response.setHeader('Connection', 'close')
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    const play = isForToken
      ? (tokenScript.shift() ?? json(200, { token: applicationToken(tokenRequests.length) }))
      : (script.shift() ?? json(418, { message: 'The script has ended.' }))
    await play(request, response, body)
  })
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    tokenRequests,
    plays: (...answers) => script.push(...answers),
    playsTokens: (...answers) => tokenScript.push(...answers),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
    start: () => listen(port),
  }
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    // The client went away. A test sees that in its own result.
  }
  return Buffer.concat(chunks).toString()
}

/** An application token that only this server takes. The client reads nothing but its `exp`. */
export const applicationToken = (number: number, issuedAt = 0, expiresAt = FAR_SECONDS): string => {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
  return `${part({ alg: 'EdDSA', typ: 'at+jwt' })}.${part({ iat: issuedAt, exp: expiresAt })}.secret-of-application-token-${number}`
}

const FAR_SECONDS = 4_102_444_800 // the year 2100

export const answer =
  (status: number, headers: Readonly<Record<string, string>>, text: string): Play =>
  async (_, response, body) => {
    await body()
    response.writeHead(status, headers).end(text)
  }

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Play =>
  answer(status, { 'Content-Type': 'application/json', ...headers }, JSON.stringify(body))

/** An answer outside 2xx in the envelope of the service. */
export const envelope = (
  status: number,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): Play =>
  json(
    status,
    { success: false, code: status, message: 'Refused by a script.', ...more },
    {
      'X-Request-Id': REQUEST_ID,
      ...headers,
    },
  )

export const REQUEST_ID = 'request-of-a-script'

export const unavailable = (outcome: 'none' | 'unknown', retryAfter?: string): Play =>
  envelope(503, { outcome }, retryAfter === undefined ? {} : { 'Retry-After': retryAfter })

export const html = (status: number): Play =>
  answer(status, { 'Content-Type': 'text/html' }, '<h1>The proxy has no server.</h1>')

export const invalidToken = (): Play =>
  envelope(401, {}, { 'WWW-Authenticate': 'Bearer realm="portcullis", error="invalid_token"' })

export const redirect = (location: string): Play => answer(307, { Location: location }, '')

/** Closes the connection before it reads the body of the request. */
export const dropUnread: Play = (request) => request.socket.destroy()

/** Closes the connection when it has read the whole request. */
export const dropRead: Play = async (request, _, body) => {
  await body()
  request.socket.destroy()
}

/** Closes the connection in the middle of a successful answer. */
export const dropAnswering: Play = async (request, response, body) => {
  await body()
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
  response.write('{"id":')
  await setImmediate()
  request.socket.destroy()
}

export type Held = Gate &
  Readonly<{
    play: Play
    /** Resolves when the client has closed the connection. */
    gone: () => Promise<true>
  }>

/** An answer that waits until a test opens its gate. `begin` of the answer is sent before. */
export const held = (after: Play, begin?: (response: ServerResponse) => void): Held => {
  const door = gate()
  let isGone = false
  return {
    ...door,
    play: async (request, response, body) => {
      await body()
      response.on('close', () => {
        isGone = true
      })
      begin?.(response)
      await door.pass()
      await after(request, response, async () => '')
    },
    gone: () => eventually('the client closes the connection', async () => isGone || undefined),
  }
}

/** The beginning of a successful answer, and its end when a test opens the gate. */
export const heldBody = (): Held =>
  held(
    (_, response) => response.end('}'),
    (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"id":"1"'),
  )

/** A success of an operation. That of a revocation has no body. */
export const success = (id: string): Play =>
  id === 'revokeToken' ? answer(200, {}, '') : json(200, { id: '1' })
