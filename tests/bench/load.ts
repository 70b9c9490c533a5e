import { connect } from 'node:net'

/**
 * Sends one request, given as bytes, repeatedly on some connections, and reads only the status of the
 * responses: less work in the sender leaves more CPU time for the server.
 *
 * @returns the time of each request, in milliseconds
 */
export const load = async (
  port: number,
  request: string,
  requests: number,
  connections: number,
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
        started += 1
        sentAt = performance.now()
        socket.write(request)
      }
      socket.setNoDelay(true)
      socket.on('connect', send)
      socket.on('error', reject)
      // Responses are far smaller than a packet, and there is one at a time.
      socket.on('data', (answer) => {
        took.push(performance.now() - sentAt)
        if (answer.toString('latin1', 9, 12) === '200') send()
        else reject(new Error(answer.toString()))
      })
    })
  await Promise.all(Array.from({ length: connections }, one))
  return took
}

/** The text of a request. */
export const requestBytes = (
  method: string,
  path: string,
  body = '',
  { token = '', type = 'application/json' }: Readonly<{ token?: string; type?: string | undefined }> = {},
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: bench.test',
    ...(token === '' ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === '' ? [] : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n')
