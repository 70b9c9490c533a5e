import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request that needs no socket. */
export type InjectedRequest = Readonly<{
  /** GET by default. */
  method?: string
  /** The request target as a client sends it: a path, and maybe a query. */
  url: string
  headers?: Readonly<Record<string, string>>
  /** Text and bytes are sent as they are. Any other object is sent as JSON, with its Content-Type. */
  payload?: string | Uint8Array | object
  /** The address on which throttling counts; 127.0.0.1 by default. */
  remoteAddress?: string
}>

export type InjectedResponse = Readonly<{
  statusCode: number
  /** Names in lower case, without the headers of a connection. */
  headers: Readonly<Record<string, string>>
  /** The body as text. */
  payload: string
  /** The same as `payload`. */
  body: string
  rawPayload: Uint8Array
  /** @throws SyntaxError if the body is not JSON */
  json(): ReturnType<typeof JSON.parse>
}>

export type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Answers a request with the listener of the server. Node's parser, the limits of connections and their time limits take no part
 * (docs/embed.md).
 */
export const inject = async (answer: AnswerRequest, request: InjectedRequest): Promise<InjectedResponse> => {
  const { statusCode, headers, rawPayload } = await exchange(answer, request)
  const text = rawPayload.toString()
  return {
    statusCode,
    headers: Object.fromEntries(headers.map(([name, values]) => [name, String(values)])),
    payload: text,
    body: text,
    rawPayload,
    json: () => JSON.parse(text),
  }
}

/** An answer with each value of its headers. */
type Exchanged = Readonly<{
  statusCode: number
  statusMessage: string
  /** Without the headers of a connection. */
  headers: ReadonlyArray<readonly [name: string, values: ReadonlyArray<string>]>
  rawPayload: Buffer
}>

/** @param signal disconnects the client when it is aborted; the promise then rejects */
export const exchange = async (
  answer: AnswerRequest,
  { method = 'GET', url, headers = {}, payload, remoteAddress }: InjectedRequest,
  signal?: AbortSignal,
): Promise<Exchanged> => {
  const { default: lightMyRequest } = await import('light-my-request')
  const answerAtUrl: AnswerRequest = (request, response) => {
    request.url = url // the library would normalize it
    if (signal !== undefined) disconnectOn(signal, response)
    return answer(request, response)
  }
  const answered = await lightMyRequest(answerAtUrl, {
    method: method as 'GET', // the type names some methods only
    url: '/',
    headers: { ...headers },
    ...(payload === undefined
      ? {}
      : { payload: payload instanceof Uint8Array ? Buffer.from(payload) : payload }),
    ...(remoteAddress === undefined ? {} : { remoteAddress }),
  })
  return {
    statusCode: answered.statusCode,
    statusMessage: answered.statusMessage,
    headers: Object.entries(answered.headers)
      .filter(([name]) => !OF_CONNECTIONS.includes(name))
      .map(([name, value]) => [name, Array.isArray(value) ? value : [String(value)]]),
    rawPayload: answered.rawPayload,
  }
}

/** The signal of the library does nothing once the body is read. */
const disconnectOn = (signal: AbortSignal, response: ServerResponse): void => {
  const disconnect = () => response.destroy()
  signal.addEventListener('abort', disconnect)
  response.once('close', () => signal.removeEventListener('abort', disconnect))
  if (signal.aborted) disconnect()
}

const OF_CONNECTIONS = ['connection', 'keep-alive', 'transfer-encoding']
