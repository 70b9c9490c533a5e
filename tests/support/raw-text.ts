/** The text of a request that closes its connection, for `sendRaw`. */
export const requestText = (
  method: string,
  path: string,
  headers: ReadonlyArray<string> = [],
  body = '',
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: service.test',
    'Connection: close',
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
    '',
    body,
  ].join('\r\n')

/** A response as received, without the two headers that differ each time. */
export const withoutDateAndId = (answer: string): string => {
  if (!/^date: /im.test(answer) || !/^x-request-id: /im.test(answer)) throw new Error(`incomplete: ${answer}`)
  return answer.replace(/^(date|x-request-id): .*\r\n/gim, '')
}

/** One of several responses on one connection. */
export type RawAnswer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>

/** All responses on one connection, in order. Content-Length ends each one. */
export const answersIn = (text: string): ReadonlyArray<RawAnswer> => {
  const answers: Array<RawAnswer> = []
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) throw new Error(`no whole answer: ${rest}`)
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const start = end + 4
    const length = Number(headers['content-length'] ?? 0)
    answers.push({
      status: Number(statusLine.split(' ')[1]),
      headers,
      body: rest.slice(start, start + length),
    })
    rest = rest.slice(start + length)
  }
  return answers
}
