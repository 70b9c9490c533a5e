/** A message of PostgreSQL's protocol. The first message of a client has no type. */
export type Message = Readonly<{ type: string; bytes: Buffer; text: string }>

/** Splits the bytes of a connection into messages, for any chunks. @param first what it begins with */
export const messages = (first: 'startup' | 'none') => {
  let rest = Buffer.alloc(0)
  let isStartup = first === 'startup'

  const next = (): Message | undefined => {
    const head = isStartup ? 0 : 1
    if (rest.length < head + 4) return undefined
    const end = head + rest.readUInt32BE(head)
    if (rest.length < end) return undefined
    const bytes = rest.subarray(0, end)
    const type = isStartup ? '' : String.fromCharCode(bytes[0] ?? 0)
    rest = rest.subarray(end)
    isStartup = false
    return { type, bytes, text: bytes.toString('latin1', head + 4) }
  }

  return (chunk: Buffer): ReadonlyArray<Message> => {
    rest = Buffer.concat([rest, chunk])
    const found: Array<Message> = []
    for (let message = next(); message !== undefined; message = next()) found.push(message)
    return found
  }
}
