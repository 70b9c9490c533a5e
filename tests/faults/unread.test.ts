import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { request } from 'undici'
import { processWorkplace, type Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'

/** As many connections as the service accepts. */
const CONNECTIONS = 10_000

/** As many pending requests as one connection may have. */
const REQUESTS = 32

/** The number of connections opened at once. */
const AT_ONCE = 100

const HEAP = '--max-old-space-size=512' // MB

const PATHS = ['/docs', '/openapi.json', '/.well-known/jwks.json', '/api/v1/profile', '/healthz']

/** A scrape takes milliseconds of CPU, so only some connections request it. */
const SCRAPES_EVERY = 200

const pathFor = (index: number): string =>
  index % SCRAPES_EVERY === 0 ? '/metrics' : (PATHS[index % PATHS.length] ?? '/')

/** The limit of open files for a process, or nothing if the system does not report it. */
const maxOpenFiles = (): number | undefined => {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return most === undefined ? undefined : Number(most)
  } catch {
    return undefined
  }
}

describe('clients that never read responses', function () {
  this.timeout(600_000)
  this.slow(300_000)
  const { serve, remove } = processWorkplace()
  const sockets: Array<Socket> = []
  let server: Serving | undefined
  after(async () => {
    for (const socket of sockets) socket.destroy()
    await server?.end()
    remove()
  })

  /** Resolves when all requests were sent or the service closed the connection. */
  const sendAndNeverRead = (port: number, path: string): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.pause()
      socket.on('error', () => resolve()).on('close', () => resolve())
      socket.once('connect', () => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(REQUESTS), () => resolve())
      })
      sockets.push(socket)
    })

  it(`do not exhaust the memory of a server: ${CONNECTIONS} connections with ${REQUESTS} requests each in 512 MB of heap`, async function () {
    const most = maxOpenFiles()
    if (most === undefined || most < CONNECTIONS + 1_000) this.skip()
    server = await serve('serve', { NODE_OPTIONS: HEAP, LOG_LEVEL: 'warn' })
    const { port, url, gone } = server
    let ended: number | null | undefined
    gone.then((status) => {
      ended = status
    })
    for (let index = 0; index < CONNECTIONS; index += AT_ONCE) {
      await Promise.all(
        Array.from({ length: AT_ONCE }, (_, each) => sendAndNeverRead(port, pathFor(index + each))),
      )
      expect(ended, server.logged()).to.equal(undefined)
    }
    for (const socket of sockets.slice(0, AT_ONCE)) socket.destroy() // room for a client that reads
    await eventually('a response to another client', async () => {
      const answer = await request(`${url}/readyz`, { reset: true }).catch(() => undefined)
      return (await answer?.body.text()) === '{"status":"ready"}' ? true : undefined
    })
    expect(ended, server.logged()).to.equal(undefined)
  })
})
