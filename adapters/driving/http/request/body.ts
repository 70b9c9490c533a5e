import type { IncomingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import readRaw from 'raw-body'
import type { Abandoned } from '../../../../application/ports/failures.ts'
import type { Field } from '../../../../domain/field.ts'
import { askForBody } from './expectation.ts'
import { type MalformedRequest, malformed } from './malformed.ts'
import { mediaTypeOf } from './media-type.ts'

export type BodyRefused = BodyTooLarge | UnsupportedBody | MalformedRequest | Abandoned
type BodyTooLarge = Readonly<{ _tag: 'BodyTooLarge'; maxBytes: number }>
/** `accept` is the type that the body has to be of. */
type UnsupportedBody = Readonly<{ _tag: 'UnsupportedBody'; message: string; accept: string }>

/** A field of a body, decoded totally: what is no string is absent. The domain judges the rest. */
export const BodyField = new t.Type<Field, Field, unknown>(
  'BodyField',
  (u): u is Field => u === undefined || typeof u === 'string',
  (u) => t.success(typeof u === 'string' ? u : undefined),
  t.identity,
)

/**
 * The fields of a JSON body. No body, and JSON that is no object, count as `{}`.
 *
 * @param fields names them; it takes any object, so that nothing a client sends stops at the first error
 */
export const readFields =
  <Fields>(
    request: IncomingMessage,
    fields: t.Type<Fields, unknown, unknown>,
  ): TaskEither<BodyRefused, Fields> =>
  async () => {
    const bytes = await readBytes(request)
    if (E.isLeft(bytes)) return bytes
    const json = bytes.right.length === 0 ? E.right({}) : parseJson(request, bytes.right)
    if (E.isLeft(json)) return json
    const decoded = fields.decode(ownFields(json.right))
    return E.isLeft(decoded) ? E.left(malformed('The body cannot be read.')) : decoded
  }

/** For routes that never look at a body; the size limit holds all the same. */
export const ignoreBody =
  (request: IncomingMessage): TaskEither<Exclude<BodyRefused, UnsupportedBody>, Buffer> =>
  () =>
    readBytes(request)

export const MAX_BODY_BYTES = 16 * 1024
const MAX_NESTING = 32

/** The bytes of a body, none where there is no body. Its type is not looked at. */
export const readBytes = async (
  request: IncomingMessage,
): Promise<E.Either<Exclude<BodyRefused, UnsupportedBody>, Buffer>> => {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (Number(length ?? 0) <= MAX_BODY_BYTES) askForBody(request)
  if (encoding === undefined && (length === undefined || length === '0')) return NOTHING
  try {
    return E.right(await readRaw(request, { limit: MAX_BODY_BYTES, length: length ?? null }))
  } catch (error) {
    request.resume() // what is left is dropped, or ends with the connection
    switch (error instanceof Error && 'type' in error ? error.type : undefined) {
      case 'entity.too.large':
        return E.left({ _tag: 'BodyTooLarge', maxBytes: MAX_BODY_BYTES })
      case 'request.aborted':
        return E.left({ _tag: 'Abandoned' })
      default:
        return E.left(malformed('The body is not as long as it says.'))
    }
  }
}

const NOTHING = E.right(Buffer.alloc(0))

/**
 * Whether the connection should end with the answer (RFC 9112 §9.3): much of the body is still to come, or nothing says how much.
 * A small rest is read and dropped, so that the connection can be used again.
 */
export const isMuchToCome = async (request: IncomingMessage): Promise<boolean> => {
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  if (coding === undefined) return !request.complete && Number(length ?? 0) > MAX_DROPPED_BYTES
  if (!request.complete) await nextTurn() // Node still reads what came together with the head
  return !request.complete
}

const MAX_DROPPED_BYTES = 64 * 1024

const parseJson = (
  request: IncomingMessage,
  bytes: Buffer,
): E.Either<UnsupportedBody | MalformedRequest, unknown> => {
  const unsupported = validateMediaType(request, 'application/json')
  if (unsupported !== undefined) return E.left(unsupported)
  try {
    const text = utf8.decode(bytes)
    if (isNestedTooDeep(text)) return E.left(malformed(`The body is nested over ${MAX_NESTING} levels deep.`))
    return E.right(JSON.parse(text))
  } catch {
    return E.left(malformed('The body is no valid JSON in UTF-8.'))
  }
}

/** What is wrong with a body's headers when it has to be of this type, in UTF-8 and without content encoding. */
export const validateMediaType = (request: IncomingMessage, accept: string): UnsupportedBody | undefined => {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding.toLowerCase() !== 'identity')
    return { _tag: 'UnsupportedBody', message: 'The body must not be encoded.', accept }
  return isInUtf8(type, accept) ? undefined : notOfType(accept)
}

export const notOfType = (accept: string): UnsupportedBody => ({
  _tag: 'UnsupportedBody',
  message: `The body must be ${accept} in UTF-8.`,
  accept,
})

/** Throws where bytes are no UTF-8. `ignoreBOM` keeps a byte order mark: it is no JSON (RFC 8259 §8.1), and no name. */
export const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const isInUtf8 = (header: string, expected: string): boolean => {
  if (header === expected) return true
  const media = mediaTypeOf(header)
  return media?.type === expected && media.charsets.every((charset) => charset === 'utf-8')
}

/** Counts brackets outside of strings in the text itself: of a doubled key, JSON.parse shows the last value only. */
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

/**
 * The members of a JSON object. JSON.parse makes one called `__proto__` a member like any other, but whoever copies the
 * object would make it the prototype.
 */
const ownFields = (json: unknown): object => {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return {}
  if (!Object.hasOwn(json, '__proto__')) return json
  return Object.fromEntries(Object.entries(json).filter(([name]) => name !== '__proto__'))
}
