import { connect } from 'node:net'

/** The next request, as bytes. */
export type Next = (index: number) => Uint8Array | string

export type LoadSize = Readonly<{ requests: number; connections: number }>

/**
 * Sends requests, given as bytes, on some connections, and reads only the status of the responses: less work in the
 * sender leaves more CPU time for the server.
 *
 * @returns the time of each request, in milliseconds
 */
export const load = async (
  port: number,
  next: Next,
  { requests, connections }: LoadSize,
): Promise<ReadonlyArray<number>> => {
  const took: Array<number> = []
  let started = 0
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      let sentAt = 0
      const send = (): void => {
        if (started === requests) {
          socket.destroy()
          resolve()
          return
        }
        const request = next(started)
        started += 1
        sentAt = performance.now()
        socket.write(request)
      }
      socket.setNoDelay(true)
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the server closed a connection')))
      // Responses are far smaller than a packet, and there is one at a time.
      socket.on('data', (answer) => {
        took.push(performance.now() - sentAt)
        if (statusOf(answer) === '200') send()
        else reject(new Error(answer.toString()))
      })
    })
  await Promise.all(Array.from({ length: connections }, one))
  return took
}

/** Always the same request. */
export const repeated = (request: string): Next => {
  const bytes = Buffer.from(request)
  return () => bytes
}

/** Takes turns. Successive calls of `load` with one of these continue where the last one ended. */
export const inTurn = (requests: ReadonlyArray<string>): Next => {
  const all = requests.map((request) => Buffer.from(request))
  let at = -1
  return () => {
    at = (at + 1) % all.length
    return all[at] ?? ''
  }
}

export const statusOf = (answer: Buffer): string => answer.toString('latin1', 9, 12)

/** The text of a request. */
export const requestBytes = (
  method: string,
  path: string,
  body = '',
  { token = '', type = typeOf(body) }: Readonly<{ token?: string; type?: string | undefined }> = {},
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: bench.test',
    ...(token === '' ? [] : [`Authorization: Bearer ${token}`]),
    ...(path.startsWith('/account/') ? ['Sec-Fetch-Site: same-origin'] : []),
    ...(body === '' ? [] : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n')

const typeOf = (body: string): string =>
  body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded'
