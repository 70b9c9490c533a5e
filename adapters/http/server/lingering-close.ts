import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * Closes connections in two steps (RFC 9112 §9.6). Node closes a connection right after its last response. If more data arrives
 * then, the system resets the connection, and the client may lose the response.
 */
export const lingerAfterLastResponse = (server: Server): void => {
  server.on('connection', (connection: Duplex) => {
    if (!(connection instanceof Socket)) return // only sockets can be reset
    const closeAtOnce = connection.destroySoon
    connection.destroySoon = () => {
      if (connection.readableEnded) closeAtOnce.call(connection)
      else closeLingering(connection)
    }
  })
}

/**
 * Ends our side, after sending `last`. Discards what still arrives, for a second and up to a bound of bytes. It reads no further bytes,
 * but keeps the connection for that second: a client that sends more can still receive the response.
 */
export const closeLingering = (connection: Duplex, last?: string): void => {
  connection.end(last)
  connection.resume()
  setImmediate(() => discardUpTo(LINGER_BYTES, connection)) // Node resumes reading in this turn
  setTimeout(() => connection.destroy(), LINGER_MS).unref()
}

/** Replaces Node's parser, which would fail on these bytes. */
const discardUpTo = (maxBytes: number, connection: Duplex): void => {
  let bytes = 0
  connection.removeAllListeners('data')
  connection.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) connection.pause()
  })
}

const LINGER_MS = 1_000
const LINGER_BYTES = 256 * 1024
