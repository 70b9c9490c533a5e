import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/**
 * Node closes a connection right behind its last answer. If more comes then, the system resets the connection, and a reset may
 * take the answer from the client (RFC 9112 §9.6). So the service ends only its own side at once, and reads and drops for a
 * while what still comes.
 */
export const lingerBehindLastAnswers = (server: Server): void => {
  server.on('connection', (connection: Duplex) => {
    if (!(connection instanceof Socket)) return // what is no socket cannot be reset
    const atOnce = connection.destroySoon
    connection.destroySoon = () => {
      if (connection.readableEnded) atOnce.call(connection)
      else endLingering(connection)
    }
  })
}

/** Ends our side, after `last` if it is given. Reads and drops what still comes, for a second and up to a bound of bytes. */
export const endLingering = (connection: Duplex, last?: string): void => {
  connection.end(last)
  connection.resume()
  setImmediate(() => dropUpTo(LINGER_BYTES, connection)) // only then Node reads again
  setTimeout(() => connection.destroy(), LINGER_MS).unref()
}

/** Takes the bytes from Node's parser, which has no use for them any more. */
const dropUpTo = (maxBytes: number, connection: Duplex): void => {
  let bytes = 0
  connection.removeAllListeners('data')
  connection.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) connection.destroy()
  })
}

const LINGER_MS = 1_000
const LINGER_BYTES = 256 * 1024
