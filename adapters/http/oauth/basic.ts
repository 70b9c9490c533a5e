import type { IncomingMessage } from 'node:http'
import type { ApplicationTokenRequest } from '../../../domain/application-token.ts'
import { utf8 } from '../request/body.ts'

/**
 * The API keys of an `Authorization: Basic` header, with the scheme in any case (RFC 7617 §2), or undefined. Each key is form-encoded
 * (RFC 6749 §2.3.1). An ambiguous or malformed header counts as invalid keys.
 */
export const basicKeys = (request: IncomingMessage): ApplicationTokenRequest | undefined => {
  const header = request.headers.authorization
  if (header === undefined || !/^basic(?: |$)/i.test(header)) return undefined
  return readKeys(BASE64.exec(header.slice('basic'.length))?.[1] ?? '') ?? UNREADABLE_KEYS
}

const BASE64 = /^ +([A-Za-z0-9+/]+={0,2}) *$/

export const UNREADABLE_KEYS: ApplicationTokenRequest = { publicApiKey: '?', privateApiKey: '?' }

const readKeys = (base64: string): ApplicationTokenRequest | undefined => {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') !== base64) return undefined // not the canonical encoding
  try {
    const text = utf8.decode(bytes)
    const colon = text.indexOf(':') // the separator is the only unescaped one
    if (colon < 0) return undefined
    return { publicApiKey: unescaped(text.slice(0, colon)), privateApiKey: unescaped(text.slice(colon + 1)) }
  } catch {
    return undefined
  }
}

/** Throws on invalid escapes and invalid UTF-8. */
const unescaped = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '))
