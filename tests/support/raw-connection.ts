import { connect } from 'node:net'

/**
 * Sends raw bytes to a local port and returns all bytes received until the server closes, or until no bytes came for `quietMs`.
 * By default it waits longer for the first byte, because a busy machine may start late.
 */
export const sendRaw = (port: number, text: string | Uint8Array, quietMs?: number): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Array<Buffer> = []
    socket.setTimeout(quietMs ?? FIRST_BYTE_MS, () => socket.destroy())
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      socket.setTimeout(quietMs ?? QUIET_MS)
    })
    socket.on('error', (error: Error & { code?: string }) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
    })
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
    socket.write(text)
  })

const FIRST_BYTE_MS = 5_000
const QUIET_MS = 500

/** The parts of one HTTP/1.1 response as received. */
export const parseRaw = (answer: string) => {
  const [head = '', ...body] = answer.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    ),
    body: JSON.parse(body.join('\r\n\r\n')),
  }
}
