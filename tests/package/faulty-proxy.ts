import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server in front of a service. The first part of the path selects the fault: `/outage`, `/silent` or `/moved`. */
export type FaultyProxy = Readonly<{ url: string; stop: () => void }>

/** The message of its 503. */
const UNAVAILABLE = JSON.stringify({
  success: false,
  code: 503,
  message: 'Come back later.',
  outcome: 'none',
})

export const faultyProxy = async (port: number): Promise<FaultyProxy> => {
  const counts = new Map<string, number>()
  const server = createServer((received, response) => {
    const [, fault, path = ''] = /^\/(outage|silent|moved)(\/.*)$/.exec(received.url ?? '') ?? []
    if (fault === 'silent') return
    if (fault === 'moved') {
      response.writeHead(307, { location: `http://127.0.0.1:${port}${path}` }).end()
      return
    }
    const count = counts.get(path) ?? 0
    counts.set(path, (count + 1) % 3)
    if (count === 0) {
      received.socket.destroy()
      return
    }
    if (count === 1) {
      response.writeHead(503, { 'content-type': 'application/json' }).end(UNAVAILABLE)
      return
    }
    const { method, headers } = received
    const passed = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    received.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
