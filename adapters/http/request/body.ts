import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import readRaw from 'raw-body'
import type { Abandoned } from '../../../application/ports/failures.ts'
import type { Field } from '../../../domain/field.ts'
import { asciiEmail } from '../../config/addresses/ascii-domains.ts'
import { type MalformedRequest, malformed } from './request.ts'

export type BodyFailure = BodyTooLarge | UnsupportedBody | MalformedRequest | Abandoned
type BodyTooLarge = Readonly<{ _tag: 'BodyTooLarge'; maxBytes: number }>
/** `accept` is the required media type. */
type UnsupportedBody = Readonly<{ _tag: 'UnsupportedBody'; message: string; accept: string }>

/** Reads a body once, and returns its fields. */
export type ReadBody<Fields> = (request: IncomingMessage) => TaskEither<BodyFailure, Fields>

/** Decodes every value: values other than strings count as absent. The domain validates the rest. */
export const BodyField = new t.Type<Field, Field, unknown>(
  'BodyField',
  (u): u is Field => u === undefined || typeof u === 'string',
  (u) => t.success(typeof u === 'string' ? u : undefined),
  t.identity,
)

/** The same for a field with an e-mail, in the form in which the service keeps it. */
export const EmailField = new t.Type<Field, Field, unknown>(
  'EmailField',
  BodyField.is,
  (u) => t.success(typeof u === 'string' ? asciiEmail(u) : undefined),
  t.identity,
)

/** Decodes every value: JSON `true` is true, and everything else is false. */
export const BodyFlag = new t.Type<boolean, boolean, unknown>(
  'BodyFlag',
  (u): u is boolean => typeof u === 'boolean',
  (u) => t.success(u === true),
  t.identity,
)

/** Decodes every value: values other than arrays count as absent. The domain validates the elements. */
export const BodyList = new t.Type<ReadonlyArray<unknown> | undefined, unknown, unknown>(
  'BodyList',
  (u): u is ReadonlyArray<unknown> | undefined => u === undefined || Array.isArray(u),
  (u) => t.success(Array.isArray(u) ? u : undefined),
  t.identity,
)

/**
 * The fields of a JSON body (docs/contract.md §1.6). No body, and JSON that is not an object, count as `{}`.
 *
 * @param fields accepts every object, so that all problems can be reported together
 */
export const readFields =
  <Fields>(fields: t.Type<Fields, unknown, unknown>): ReadBody<Fields> =>
  (request) =>
  async () => {
    const bytes = await readBytes(request)
    if (E.isLeft(bytes)) return bytes
    const json = bytes.right.length === 0 ? E.right({}) : parseJson(request, bytes.right)
    if (E.isLeft(json)) return json
    const decoded = fields.decode(ownFields(json.right))
    return E.isLeft(decoded) ? E.left(malformed('The body cannot be read.')) : decoded
  }

/** Reads and discards a body. The size limit still holds. */
export const ignoreBody =
  (request: IncomingMessage): TaskEither<Exclude<BodyFailure, UnsupportedBody>, Buffer> =>
  () =>
    readBytes(request)

export const MAX_BODY_BYTES = 16 * 1024
const MAX_NESTING = 32

/** The bytes of a body, of any media type. Without a body there are none. */
export const readBytes = async (
  request: IncomingMessage,
): Promise<E.Either<Exclude<BodyFailure, UnsupportedBody>, Buffer>> => {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (Number(length ?? 0) <= MAX_BODY_BYTES) sendContinue(request)
  if (encoding === undefined && (length === undefined || length === '0')) return NO_BYTES
  try {
    return E.right(await readRaw(request, { limit: MAX_BODY_BYTES, length: length ?? null }))
  } catch (error) {
    request.resume() // discards the rest of the body
    switch (error instanceof Error && 'type' in error ? error.type : undefined) {
      case 'entity.too.large':
        return E.left({ _tag: 'BodyTooLarge', maxBytes: MAX_BODY_BYTES })
      case 'request.aborted':
        return E.left({ _tag: 'Abandoned' })
      default:
        return E.left(malformed('The length of the body does not match Content-Length.'))
    }
  }
}

const NO_BYTES = E.right(Buffer.alloc(0))

/**
 * Requests whose clients wait for a 100 response (RFC 9110 §10.1.1). Without it, Node closes the connection after the response,
 * because it cannot tell whether the body follows.
 */
const deferred = new WeakMap<IncomingMessage, ServerResponse>()

/** Delays the 100 response until `sendContinue`. */
export const deferContinue = (request: IncomingMessage, response: ServerResponse): void => {
  deferred.set(request, response)
}

/** Sends the 100 response if the client waits for it. */
const sendContinue = (request: IncomingMessage): void => {
  if (request.headers.expect === undefined) return
  deferred.get(request)?.writeContinue()
  deferred.delete(request)
}

/**
 * Whether much of the body, or an unknown length of it, is still to come. Then the connection should close after the response
 * (RFC 9112 §9.3). A small rest is discarded, so that the connection can be reused.
 */
export const hasLargeUnreadBody = async (request: IncomingMessage): Promise<boolean> => {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (coding === undefined) return !request.complete && Number(length ?? 0) > MAX_DISCARDED_BYTES
  if (!request.complete) await nextTurn() // Node is still parsing bytes that arrived with the headers
  return !request.complete
}

const MAX_DISCARDED_BYTES = 64 * 1024

const parseJson = (
  request: IncomingMessage,
  bytes: Buffer,
): E.Either<UnsupportedBody | MalformedRequest, unknown> => {
  const unsupported = validateMediaType(request, 'application/json')
  if (unsupported !== undefined) return E.left(unsupported)
  try {
    const text = utf8.decode(bytes)
    if (isNestedTooDeep(text))
      return E.left(malformed(`The body is nested deeper than ${MAX_NESTING} levels.`))
    return E.right(JSON.parse(text))
  } catch {
    return E.left(malformed('The body is not valid JSON in UTF-8.'))
  }
}

/**
 * The failure of a body that is not of this type, not in UTF-8 or content-encoded; otherwise undefined.
 *
 * @param charsets names of encodings in which these bytes are the same text as in UTF-8
 */
export const validateMediaType = (
  request: IncomingMessage,
  accept: string,
  charsets: ReadonlyArray<string> = UTF_8,
): UnsupportedBody | undefined => {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding.toLowerCase() !== 'identity')
    return { _tag: 'UnsupportedBody', message: 'The body must not have a Content-Encoding.', accept }
  return isInUtf8(type, accept, charsets) ? undefined : notOfType(accept)
}

export const notOfType = (accept: string): UnsupportedBody => ({
  _tag: 'UnsupportedBody',
  message: `The body must be ${accept} in UTF-8.`,
  accept,
})

/** Throws on invalid UTF-8. `ignoreBOM` keeps a byte order mark, which is not valid JSON (RFC 8259 §8.1). */
export const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Names of UTF-8 that clients send. Each text in ASCII is one in UTF-8, too. */
export const UTF_8: ReadonlyArray<string> = ['utf-8', 'utf8', 'us-ascii']

const isInUtf8 = (header: string, expected: string, charsets: ReadonlyArray<string>): boolean => {
  if (header === expected) return true
  const media = mediaTypeOf(header)
  return media?.type === expected && media.charsets.every((charset) => charsets.includes(charset))
}

/** A media type: `type/subtype` and the values of its `charset` parameters, all in lower case. */
type MediaType = Readonly<{ type: string; charsets: ReadonlyArray<string> }>

/** The media type of a Content-Type header; undefined if the header violates the grammar (RFC 9110 §8.3.1). */
const mediaTypeOf = (header: string): MediaType | undefined => {
  const [matched, type] = TYPE.exec(header) ?? []
  if (matched === undefined || type === undefined) return undefined
  const charsets: Array<string> = []
  const parameter = new RegExp(PARAMETER, 'y')
  parameter.lastIndex = matched.length
  while (parameter.lastIndex < header.length) {
    const found = parameter.exec(header)
    if (found === null) return undefined
    const [, name, token, quoted = ''] = found
    if (name?.toLowerCase() === 'charset')
      charsets.push((token ?? quoted.replace(ESCAPED, '$1')).toLowerCase())
  }
  return { type: type.toLowerCase(), charsets }
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"'
const TYPE = new RegExp(`^(${TOKEN}/${TOKEN})[ \\t]*`)

/** RFC 9110 §5.6.6. Matching takes linear time, because no text matches in two ways. */
const PARAMETER = `;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|${QUOTED})[ \\t]*)?(?=;|$)`

const ESCAPED = /\\(.)/g

/** Counts brackets outside strings. It uses the text, because JSON.parse drops all but the last value of a repeated key. */
const isNestedTooDeep = (text: string): boolean => {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (inString) {
      if (character === '\\') index += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > MAX_NESTING) return true
  }
  return false
}

/** The members of a JSON object except `__proto__`. JSON.parse makes it an own member, but a copy could make it the prototype. */
const ownFields = (json: unknown): object => {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return {}
  if (!Object.hasOwn(json, '__proto__')) return json
  return Object.fromEntries(Object.entries(json).filter(([name]) => name !== '__proto__'))
}
