import { base64url } from '../token-format/web-crypto.ts'

/** A JWT in the compact form of RFC 7515 §3.1, taken apart. */
export type Jwt = Readonly<{ header: Readonly<Record<string, unknown>>; payload: string; signature: string }>

export const parse = (token: string): Jwt => {
  const [header = '', payload = '', signature = ''] = token.split('.')
  return { header: jsonIn(header), payload, signature }
}

export const jsonIn = (part: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(part, 'base64url').toString())

/** What is signed under this header. */
export const signedOf = (header: object, { payload }: Pick<Jwt, 'payload'>): string =>
  `${base64url(JSON.stringify(header))}.${payload}`
