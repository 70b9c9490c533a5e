import { Agent, request } from 'undici'

/** A request. `body` is sent as JSON unless it is text or bytes. */
export type TestRequest = Readonly<{
  method: string
  path: string
  token?: string
  body?: object | string | Uint8Array
  headers?: Readonly<Record<string, string>>
}>

/** A response. A JSON body is parsed, and another one is text. */
export type Answer = Readonly<{
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what a test is about to find out
  body: any
}>

/**
 * An HTTP client that sends exactly the given request. `fetch` cannot send a GET with a body.
 *
 * @param localAddress the source address of its connections
 */
export const httpClient = (baseUrl: string, localAddress?: string) => {
  const dispatcher = new Agent(localAddress === undefined ? {} : { localAddress })

  const send = async ({ method, path, token, body, headers }: TestRequest): Promise<Answer> => {
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    const answer = await request(`${baseUrl}${path}`, {
      dispatcher,
      method: method as 'GET',
      body: raw ? (body ?? null) : JSON.stringify(body),
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    })
    const text = await answer.body.text()
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: text === '' ? undefined : isJson(answer.headers) ? JSON.parse(text) : text,
    }
  }

  return { send, close: () => dispatcher.close() }
}

const isJson = ({ 'content-type': type }: Answer['headers']): boolean => String(type).includes('json')
