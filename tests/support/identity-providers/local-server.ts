import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type LocalServer = Readonly<{
  url: string
  /** The requests so far, as method and path without its query. */
  requests: ReadonlyArray<string>
  answer: (listener: RequestListener) => void
  stop: () => Promise<void>
}>

/** A server on 127.0.0.1, which answers as the last `answer` says. */
export const localServer = async (): Promise<LocalServer> => {
  const requests: Array<string> = []
  let listener: RequestListener = (_, response) => response.writeHead(404).end()
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`)
    return listener(request, response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer: (next) => {
      listener = next
    },
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

export const formOf = async (request: IncomingMessage): Promise<URLSearchParams> =>
  new URLSearchParams(await text(request))
