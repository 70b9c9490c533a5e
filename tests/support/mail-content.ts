/** What a mail program shows of a raw mail, and its headers. Their names are in lower case. */
export type MailContent = Readonly<{
  raw: string
  headers: Readonly<Record<string, string>>
  text: string
  html: string
}>

/** Reads a mail of two alternatives (RFC 2046 §5.1.4). `raw` is in Latin-1. */
export const mailContent = (raw: string): MailContent => {
  const { headers, body } = splitPart(raw)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1]
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1)
  const contentOf = (type: string): string => {
    const found = parts.map((part) => splitPart(part.replace(/^\r\n|\r\n$/g, '')))
    const part = found.find((each) => each.headers['content-type']?.startsWith(type))
    return part === undefined ? '' : decodeQuotedPrintable(part.body)
  }
  return { raw, headers, text: contentOf('text/plain'), html: contentOf('text/html') }
}

/** Decodes the encoded words of a header (RFC 2047). */
export const headerText = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, content: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(content, 'base64').toString('latin1')
        : bytesOf(content.replaceAll('_', ' ')),
    )
    .replace(/[\x80-\xff]+/g, (bytes) => Buffer.from(bytes, 'latin1').toString())

const splitPart = (part: string): Readonly<{ headers: MailContent['headers']; body: string }> => {
  const end = part.indexOf('\r\n\r\n')
  const lines = part
    .slice(0, end)
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { headers: Object.fromEntries(headers), body: part.slice(end + 4) }
}

/** RFC 2045 §6.7. The result has the line ends of JavaScript. */
const decodeQuotedPrintable = (body: string): string =>
  Buffer.from(bytesOf(body.replaceAll('=\r\n', '')), 'latin1')
    .toString()
    .replaceAll('\r\n', '\n')

const bytesOf = (text: string): string =>
  text.replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
