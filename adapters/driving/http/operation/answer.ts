import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { constant, object, type Schema, text } from './schema.ts'

/** What goes back to a client: `body` as JSON, or else `content` as it is. */
export type Answer = Readonly<{
  status: number
  headers?: Readonly<Record<string, string>>
  body?: object
  content?: Content
  /** Why it failed, for the service's own log. Never sent. */
  cause?: string
  /** Nobody seemed to wait for it any more, and whether it is read or even sent is not known. */
  isAbandoned?: true
}>

/** What is no JSON. `type` is the whole Content-Type, and text goes in UTF-8. */
export type Content = Readonly<{ type: string; data: string | Uint8Array }>
/** What everything outside 2xx and 3xx says. */
export type ErrorAnswer = Answer &
  Readonly<{ body: Readonly<{ success: false; code: number; message: string }> }>

/** One entry of `errors` (seed §2, Error item). */
export type ErrorItem = Readonly<{ code: number; message: string; param: string }>

/** What a rule of the domain is on the wire: one of these for every problem a route knows. */
export type Codes<Problem extends string> = Readonly<Record<Problem, ErrorItem>>

/**
 * On every answer: none is to be taken for something else than it says, and none is to be kept by a cache unless it says so
 * itself.
 */
export const HEADERS_EVERYWHERE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

export const ok = (body: object): Answer => ({ status: 200, body })

/** @param body what was made */
export const created = (body: object): Answer => ({ status: 201, body })

/** The seed's operation result (§2): code 100 on success. */
export const done = (message: string): Answer => ok({ success: true, code: 100, message })

/** What `done` says, but for its sentence. */
export const DONE: Schema = object({
  success: constant(true),
  code: constant(100),
  message: text('A sentence for people.'),
})

/** The one envelope of everything that is neither 2xx nor 3xx. */
export const failed = (status: number, message: string, headers: Answer['headers'] = {}): ErrorAnswer => ({
  status,
  headers,
  body: { success: false, code: status, message },
})

/** All that was wrong with the fields of a request, ascending by code. */
export const refused = <Problem extends string>(
  codes: Codes<Problem>,
  problems: NonEmptyArray<Problem>,
): Answer => ({
  status: 422,
  body: {
    success: false,
    code: 422,
    message: 'Some fields are missing or wrong; see errors.',
    errors: problems
      .map((problem) => codes[problem])
      .sort((one, other) => one.code - other.code)
      .map(({ code, message, param }) => ({ code, message, param })), // in the order of the seed
  },
})
