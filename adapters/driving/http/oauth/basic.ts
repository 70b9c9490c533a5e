import type { IncomingMessage } from 'node:http'
import type { ApplicationTokenRequest } from '../../../../domain/application-token.ts'
import { utf8 } from '../request/body.ts'

/**
 * The API keys of an `Authorization: Basic` header (RFC 7617 §2), the scheme in any case, or undefined where there is none.
 * Both are written as in a form before they are put together (RFC 6749 §2.3.1).
 *
 * Nothing is mended: what cannot be read in exactly one way stands for keys that nobody has, which are as wrong as any.
 */
export const basicKeys = (request: IncomingMessage): ApplicationTokenRequest | undefined => {
  const header = request.headers.authorization
  if (header === undefined || !/^basic(?: |$)/i.test(header)) return undefined
  return readKeys(BASE64.exec(header.slice('basic'.length))?.[1] ?? '') ?? NOBODYS
}

const BASE64 = /^ +([A-Za-z0-9+/]+={0,2}) *$/

export const NOBODYS: ApplicationTokenRequest = { publicApiKey: '?', privateApiKey: '?' }

const readKeys = (base64: string): ApplicationTokenRequest | undefined => {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') !== base64) return undefined // another spelling of the same bytes
  try {
    const text = utf8.decode(bytes)
    const colon = text.indexOf(':') // an escaped one does not part them
    if (colon < 0) return undefined
    return { publicApiKey: unescaped(text.slice(0, colon)), privateApiKey: unescaped(text.slice(colon + 1)) }
  } catch {
    return undefined
  }
}

/** Throws where there is an escape that is none, or one of what is no UTF-8. */
const unescaped = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '))
