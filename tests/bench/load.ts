import { connect } from 'node:net'

/**
 * Sends one request, given as the bytes it is made of, over and over on some connections, and reads nothing of the
 * answers but their status: the less the sender does, the more of what is measured is the server's.
 *
 * It never sleeps while it runs. A sleeping receiver has to be woken by whoever writes to it, which on virtual
 * machines costs the server more than the request, and a slower server meets a sleeping receiver more often.
 *
 * @returns how long each request took, in milliseconds
 */
export const load = async (
  port: number,
  request: string,
  requests: number,
  connections: number,
): Promise<ReadonlyArray<number>> => {
  let running = true
  const stayAwake = (): void => {
    if (running) setImmediate(stayAwake)
  }
  stayAwake()
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
      // Answers are far smaller than a packet, and there is one at a time.
      socket.on('data', (answer) => {
        took.push(performance.now() - sentAt)
        if (answer.toString('latin1', 9, 12) === '200') send()
        else reject(new Error(answer.toString()))
      })
    })
  await Promise.all(Array.from({ length: connections }, one))
  running = false
  return took
}

/** A request as it goes over the wire. */
export const requestBytes = (method: string, path: string, body = '', token = ''): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: bench.test',
    ...(token === '' ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n')
