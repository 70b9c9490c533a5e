import type { Socket } from 'node:net'

/** PostgreSQL's wire protocol (version 3), as far as a pooler needs it. A message is a letter, its length and its body. */

/** Splits received bytes into messages. */
export const messagesIn = (heard: (message: Buffer) => void): ((chunk: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= HEADER && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1)
      const message = rest.subarray(0, end)
      rest = rest.subarray(end)
      heard(message)
    }
  }
}

const HEADER = 5

/** The startup message of a client. `refused` is the first forbidden parameter. */
export type Startup = Readonly<{ refused: string | undefined }>

/**
 * Reads the startup of a client, which has its own message format, and then its messages. Refuses encryption.
 *
 * @param known names of the parameters a client may set
 */
export const startupIn = (
  client: Socket,
  known: ReadonlyArray<string>,
  started: (startup: Startup) => void,
  heard: (message: Buffer) => void,
): ((chunk: Buffer) => void) => {
  const messages = messagesIn(heard)
  let isStarted = false
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    if (isStarted) return messages(chunk)
    rest = Buffer.concat([rest, chunk])
    while (!isStarted && rest.length >= 8 && rest.length >= rest.readUInt32BE(0)) {
      const end = rest.readUInt32BE(0)
      const [code, body] = [rest.readUInt32BE(4), rest.subarray(8, end)]
      rest = rest.subarray(end)
      if (code === CANCEL) client.destroy()
      else if (code !== VERSION_3) client.write('N')
      else {
        isStarted = true
        const names = body
          .toString()
          .split('\0')
          .filter((_, index) => index % 2 === 0)
        started({ refused: names.find((name) => name !== '' && !known.includes(name.toLowerCase())) })
      }
    }
    if (isStarted) messages(rest)
  }
}

const CANCEL = 80_877_102
const VERSION_3 = 196_608

const message = (letter: string, ...parts: ReadonlyArray<string | Buffer>): Buffer => {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
  )
  const header = Buffer.alloc(HEADER, letter)
  header.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

export const query = (sql: string): Buffer => message('Q', sql)

/** Accepts every client: the authentication responses of the server. */
export const welcome = (): Buffer =>
  Buffer.concat([
    message('R', Buffer.alloc(4)),
    message('S', 'server_version', '14.0'),
    message('S', 'client_encoding', 'UTF8'),
    message('S', 'standard_conforming_strings', 'on'),
    message('K', Buffer.alloc(8)),
    message('Z', Buffer.from('I')),
  ])

export const errorMessage = (code: string, text: string): Buffer =>
  message('E', 'SFATAL', 'VFATAL', `C${code}`, `M${text}`, Buffer.alloc(1))

/** The first column of a row. */
export const dataOf = (row: Buffer): string =>
  row.subarray(HEADER + 6, HEADER + 6 + row.readInt32BE(HEADER + 2)).toString()
