import { type AnswerRequest, exchange, type InjectedRequest } from './inject.ts'

/**
 * Reads a request of the web standard.
 *
 * @throws TypeError if its body was read before
 * @throws the reason of its signal when that is aborted
 */
export const injectable = async (request: Request): Promise<InjectedRequest> => {
  const { pathname, search, host } = new URL(request.url)
  const body = await untilAborted(request.signal, () => bytesOf(request))
  return {
    method: request.method,
    url: `${pathname}${search}`,
    headers: { host, ...Object.fromEntries(request.headers) },
    ...(body === undefined ? {} : { payload: body }),
  }
}

/**
 * Answers a request of the web standard with the listener of the server, as `inject` does.
 *
 * @param sent `request` in the form of `inject`
 * @throws the reason of its signal when that is aborted. The server then sees that its client disconnects.
 */
export const answerWebRequest = async (
  answer: AnswerRequest,
  sent: InjectedRequest,
  { method, signal }: Pick<Request, 'method' | 'signal'>,
): Promise<Response> => {
  const answered = await untilAborted(signal, () => exchange(answer, sent, signal))
  const { statusCode: status, statusMessage: statusText, rawPayload } = answered
  const headers = new Headers(
    answered.headers.flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
  )
  const isEmpty = method === 'HEAD' || EMPTY_STATUSES.includes(status)
  return new Response(isEmpty ? null : new Uint8Array(rawPayload), { status, statusText, headers })
}

/** `Response` takes no body with these statuses. */
const EMPTY_STATUSES = [204, 205, 304]

const bytesOf = async (request: Request): Promise<Uint8Array | undefined> => {
  if (request.bodyUsed) throw new TypeError('The body of the request was read before.')
  if (request.body === null) return undefined
  const reader = request.body.getReader()
  const cancel = () => void reader.cancel(request.signal.reason).catch(() => undefined)
  request.signal.addEventListener('abort', cancel)
  try {
    const chunks: Array<Uint8Array> = []
    for (let read = await reader.read(); !read.done; read = await reader.read()) chunks.push(read.value)
    return Buffer.concat(chunks)
  } finally {
    request.signal.removeEventListener('abort', cancel)
  }
}

/** The result of work, unless the signal is aborted before. */
const untilAborted = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  signal.throwIfAborted()
  let reject = (_reason: unknown): void => undefined
  const aborted = new Promise<never>((_, fail) => {
    reject = fail
  })
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work(), aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
