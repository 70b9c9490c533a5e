import type { Limit } from './limit.ts'

/**
 * Sends one request. The global `fetch`, that of a composed service, or that of the package undici. A `Request` would tie it to one of
 * them: the class of the others is another one.
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A whole response. */
export type Received = Readonly<{
  status: number
  headers: Headers
  bytes: Uint8Array
  /** The body as JSON; undefined if it is not JSON. */
  json: unknown
}>

/** Far above every answer of the service. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** Sends a request and reads the whole response. It rejects if there is none, or if the call must end. */
export const send = async (fetch: Fetch, [url, init]: Parameters<Fetch>, limit: Limit): Promise<Received> => {
  const response = await limit.race(fetch(url, init))
  const { status, headers } = response
  const bytes = await bytesOf(response, limit)
  return { status, headers, bytes, json: jsonIn(bytes, headers.get('Content-Type') ?? '') }
}

const bytesOf = async ({ body }: Response, { race }: Limit): Promise<Uint8Array> => {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  const chunks: Array<Uint8Array> = []
  let length = 0
  try {
    for (;;) {
      const { done, value } = await race(reader.read())
      if (done) return joined(chunks, length)
      length += value.length
      if (length > MAX_ANSWER_BYTES) throw new Error(`The answer has more than ${MAX_ANSWER_BYTES} bytes.`)
      chunks.push(value)
    }
  } catch (error) {
    reader.cancel().catch(() => {}) // frees the connection; its failure changes nothing
    throw error
  }
}

const joined = (chunks: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

const jsonIn = (bytes: Uint8Array, type: string): unknown => {
  if (!/^application\/([a-z.-]+\+)?json\b/i.test(type)) return undefined
  try {
    return JSON.parse(textOf(bytes))
  } catch {
    return undefined
  }
}

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
