import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A received mail. The names of its headers are in lower case. */
export type Received = Readonly<{
  to: ReadonlyArray<string>
  headers: Readonly<Record<string, string>>
  text: string
}>

/** Accepts every mail for every address, without TLS: only for tests and development. */
export const startMailbox = async (
  port: number,
  received: (mail: Received) => void,
): Promise<Readonly<{ port: number; stop: () => Promise<void> }>> => {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope }, done) => {
      const to = envelope.rcptTo.map(({ address }) => address)
      text(stream).then((mail) => {
        received({ to, ...contentOf(mail) })
        done()
      }, done)
    },
  })
  const listening = server.listen(port, '127.0.0.1')
  await new Promise((resolve, reject) => listening.once('listening', resolve).once('error', reject))
  const address = listening.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

const contentOf = (mail: string): Omit<Received, 'to'> => {
  const { headers, body } = partsOf(mail)
  const [, boundary] = /^multipart\/.*\bboundary="?([^";]+)/i.exec(headers['content-type'] ?? '') ?? []
  const parts =
    boundary === undefined
      ? [mail]
      : body
          .split(`--${boundary}\r\n`)
          .slice(1)
          .map((part) => part.split(`--${boundary}--`)[0] ?? '')
  const shown = parts
    .map(partsOf)
    .find((part) => /^text\/plain/i.test(part.headers['content-type'] ?? 'text/plain'))
  const isQuoted = shown?.headers['content-transfer-encoding'] === 'quoted-printable'
  return {
    headers,
    text: shown === undefined ? body : isQuoted ? decodeQuotedPrintable(shown.body) : shown.body,
  }
}

/** The headers and the body of a mail, or of a part of one (RFC 2046 §5.1). */
const partsOf = (mail: string): Readonly<{ headers: Readonly<Record<string, string>>; body: string }> => {
  const end = mail.indexOf('\r\n\r\n')
  const lines = mail
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { headers, body: mail.slice(end + 4) }
}

/** RFC 2045 §6.7. */
const decodeQuotedPrintable = (body: string): string => {
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
