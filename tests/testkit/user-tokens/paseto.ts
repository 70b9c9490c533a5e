/** A PASETO `v4.public`, taken apart as its specification says (version 4, §4.4). */

export const HEADER = 'v4.public.'

const SIGNATURE_BYTES = 64

export type Paseto = Readonly<{ message: Buffer; signature: Buffer; footer: Buffer }>

export const parse = (token: string): Paseto => {
  const [body = '', footer = ''] = token.slice(HEADER.length).split('.')
  const bytes = Buffer.from(body, 'base64url')
  return {
    message: bytes.subarray(0, -SIGNATURE_BYTES),
    signature: bytes.subarray(-SIGNATURE_BYTES),
    footer: Buffer.from(footer, 'base64url'),
  }
}

export const format = ({ message, signature, footer }: Paseto): string => {
  const body = HEADER + Buffer.concat([message, signature]).toString('base64url')
  return footer.length === 0 ? body : `${body}.${footer.toString('base64url')}`
}

/** What is signed: the pieces, each after its length (§2.2, pre-authentication encoding), without an implicit assertion. */
export const signedOf = ({ message, footer }: Pick<Paseto, 'message' | 'footer'>): Buffer => {
  const pieces = [Buffer.from(HEADER), message, footer, Buffer.alloc(0)]
  return Buffer.concat([long(pieces.length), ...pieces.flatMap((piece) => [long(piece.length), piece])])
}

const long = (number: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(number))
  return bytes
}
