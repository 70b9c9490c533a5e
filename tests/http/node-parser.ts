import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sendRaw } from '../support/raw-connection.ts'
import { lines } from './transport-talk.ts'

/**
 * Whether the parser of this Node, without the service, accepts a request with this header line. Versions differ where
 * RFC 9112 leaves a choice or a version has a bug, and the service’s response differs with them.
 */
export const nodeTakes = async (line: string): Promise<boolean> => {
  let refused = false
  const server = createServer((_, response) => response.end())
  server.on('clientError', (_, socket) => {
    refused = true
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const text = lines('POST / HTTP/1.1', 'Host: service.test', 'Connection: close', line)
    await sendRaw((server.address() as AddressInfo).port, Buffer.from(text, 'latin1'))
    return !refused
  } finally {
    server.close()
  }
}
