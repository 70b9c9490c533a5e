import type { NonEmptyArray } from 'fp-ts/lib/NonEmptyArray.js'
import { constant, object, type Schema, text } from './schema.ts'

/** The response to a request: `body` is sent as JSON, `content` as it is. */
export type HttpResponse = Readonly<{
  status: number
  headers?: Readonly<Record<string, string>>
  /** The values of `Set-Cookie`, one header each. */
  cookies?: ReadonlyArray<string>
  body?: object
  content?: Content
  /** The cause of a failure, for the log. Never sent. */
  cause?: string
  /** The request was aborted, so the response may never arrive. */
  isAbandoned?: true
}>

/** A body that is not JSON. `type` is the whole Content-Type; text is sent as UTF-8. */
export type Content = Readonly<{ type: string; data: string | Uint8Array }>

/** A response with the error envelope. */
export type ErrorResponse = HttpResponse &
  Readonly<{ body: Readonly<{ success: false; code: number; message: string; outcome?: Outcome }> }>

/** Of a 503: `none` if nothing was changed, `unknown` if the change may have happened. */
export type Outcome = 'none' | 'unknown'

/** One entry of `errors` (docs/contract.md §1.3). */
export type ErrorItem = Readonly<{ code: number; message: string; param: string }>

/** The error item of every problem that a route can report. */
export type Codes<Problem extends string> = Readonly<Record<Problem, ErrorItem>>

/** Headers of every response: no MIME sniffing, and no caching unless the route replaces `Cache-Control`. */
export const HEADERS_EVERYWHERE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

export const ok = (body: object): HttpResponse => ({ status: 200, body })

export const created = (body: object): HttpResponse => ({ status: 201, body })

/** The operation result of a success, always with code 100 (docs/contract.md §1.4). */
export const operationResult = (message: string): HttpResponse => ok({ success: true, code: 100, message })

export const OPERATION_RESULT: Schema = object({
  success: constant(true),
  code: constant(100),
  message: text('Text for people.'),
})

/** The envelope of every response outside 2xx and 3xx (docs/contract.md §1.3). */
export const errorResponse = (
  status: number,
  message: string,
  headers: HttpResponse['headers'] = {},
): ErrorResponse => ({
  status,
  headers,
  body: { success: false, code: status, message },
})

/**
 * The 422 that lists all problems, ascending by code.
 *
 * @param more further members of the body, or another message
 */
export const invalidFields = <Problem extends string>(
  codes: Codes<Problem>,
  problems: NonEmptyArray<Problem>,
  more: Readonly<Record<string, unknown>> = {},
): HttpResponse => ({
  status: 422,
  body: {
    success: false,
    code: 422,
    message: 'Some fields are missing or wrong; see errors.',
    errors: problems
      .map((problem) => codes[problem])
      .sort((one, other) => one.code - other.code)
      .map(({ code, message, param }) => ({ code, message, param })), // the order of keys in docs/contract.md §1.3
    ...more,
  },
})
