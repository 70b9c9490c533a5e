import { isLeft, isRight, right } from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { RequestContext } from '../../../application/recording/recorder.ts'
import type { Invalid } from '../../../domain/field.ts'
import { END_USER_ADDRESS, withEndUserAddress } from '../request/address.ts'
import { ignoreBody, type ReadBody } from '../request/body.ts'
import type { Request } from '../request/request.ts'
import { errorResponseTo, type Failure, type FailureKind, type FailureOf } from './failures.ts'
import type { Body, BodyShape } from './fields.ts'
import type { Access, Admitted, Guard } from './guards.ts'
import { type Codes, type HttpResponse, invalidFields } from './response.ts'
import type { Schema } from './schema.ts'

/** One method of a path: its description and its implementation. */
export type HttpOperation = Responder & Readonly<{ spec: OperationSpec }>

/** The implementation of one method of a path. */
export type Responder = Readonly<{ respond: (request: Request) => Task<HttpResponse> }>

/** The description of an operation: its request and every possible response. */
export type OperationSpec<
  Kind extends FailureKind = FailureKind,
  Problem extends string = string,
> = Readonly<{
  /** Unique. Client generators make method names of it. */
  id: string
  tag: Tag
  /** A few words. */
  summary: string
  /** Sentences in Markdown. */
  details?: string
  /** `PUBLIC`, or what the request must prove. */
  access: Access
  body?: BodyShape
  /** The rest of the path, if the route is a prefix. */
  pathParameter?: Readonly<{ description: string; example: string }>
  /** The parameters of the query, which are all optional. */
  query?: Readonly<Record<string, QueryParameter>>
  /** The optional headers that the operation reads. */
  requestHeaders?: ReadonlyArray<typeof END_USER_ADDRESS>
  successes: ReadonlyArray<Success>
  /** The error item of each problem that a field can have. */
  codes?: Codes<Problem>
  /** The members that some 422 have beside `errors`. */
  problemMembers?: Readonly<Record<string, Schema>>
  /** Problems that cannot occur under the current settings. */
  impossible?: ReadonlyArray<Problem>
  /** How long the request asks to wait, in milliseconds. Its deadline comes so much later. */
  waitMs?: (request: Request) => number
  /** Headers that the responses may have beside those of each success and each failure. */
  responseHeaders?: Readonly<Record<string, OpenAPIV3_1.HeaderObject>>
  /** Replaces `errorResponseTo`. */
  toErrorResponse?: (failure: Failure) => HttpResponse
  /** All other failures. `operation` adds those of the access and the body. */
  failures?: ReadonlyArray<Kind>
  examples: ReadonlyArray<Example<Problem>>
}>

/** `description` says what the parameter means. */
export type QueryParameter = Readonly<{
  description: string
  schema: NonNullable<OpenAPIV3_1.ParameterObject['schema']>
}>

export type Success = Readonly<{
  status: number
  description: string
  /** Absent if the response has no body. */
  body?: Schema
  /** The media type of the body; JSON by default. */
  type?: string
  /** Added to the headers of every response, or replacing them. */
  headers?: Readonly<Record<string, OpenAPIV3_1.HeaderObject>>
}>

/** The fields of a request, or the parameters of its query, and its outcome: the problems with the fields, or a status and a body. */
export type Example<Problem extends string = string> = Readonly<{
  summary: string
  fields?: Readonly<Record<string, unknown>>
}> &
  (
    | Readonly<{
        problems: readonly [Problem, ...Array<Problem>]
        /** What the 422 has beside the problems. */
        more?: Readonly<Record<string, unknown>>
      }>
    | Readonly<{ status: number; body?: object | string | undefined }>
  )

/** The groups of operations in the description, in reading order. */
export const TAGS = {
  Applications: 'Programs with an API key pair.',
  Users: 'Applications register users, sign them in and manage them.',
  Events: 'The event log as a feed.',
  Profile: 'Operations of signed-in users.',
  Keys: 'Public keys for offline verification of tokens.',
  'Event log': 'The signed event log, for auditors and their programs.',
  'OAuth 2.0': 'The standard routes for OAuth clients.',
  Operation: 'Health, metrics and this description.',
} as const

export type Tag = keyof typeof TAGS

/** A request that its guard let in. `caller` is undefined if the access is public, `fields` unknown if the operation has no body. */
export type Call<Caller, Fields> = Admitted<Caller, Fields> &
  Readonly<{ context: RequestContext; request: Request }>

/**
 * An operation whose access, body and failures all appear in its description; others do not compile.
 *
 * @param run gets the caller and the fields that the description names
 */
export const operation = <
  Caller,
  Form,
  Own extends FailureKind,
  Fields extends Form,
  Kind extends FailureKind = never,
  Problem extends string = never,
>(
  spec: OperationSpec<Kind, Problem> &
    Readonly<{ access: Guard<Caller, Form, Own, NoInfer<Kind>>; body?: Body<Fields> }> &
    BodyFor<NoInfer<Form>>,
  run: (
    call: Call<Caller, Fields>,
  ) => TaskEither<FailureOf<Kind | Own | IgnoredBodyFailure> | Invalid<Problem>, HttpResponse>,
): HttpOperation => {
  const { access, body, requestHeaders, toErrorResponse = errorResponseTo, waitMs = () => 0 } = spec
  const codes = spec.codes ?? ({} as Codes<Problem>) // without codes, `Problem` is `never`
  const readBody = body?.read ?? (ignoreBody as ReadBody<unknown> as ReadBody<Fields>) // without a body, nothing reads the fields
  const contextOf = requestHeaders?.includes(END_USER_ADDRESS)
    ? withEndUserAddress
    : ({ context }: Request) => right(context)
  const ofBody = body === undefined ? IGNORED_BODY_FAILURES : BODY_FAILURES
  const answer =
    (request: Request): Task<HttpResponse> =>
    async () => {
      const { deadline } = request
      const admitted = await access.admit(request, (message) =>
        deadline.whileArriving(message, readBody(message)),
      )()
      if (isLeft(admitted)) return toErrorResponse(admitted.left)
      const context = contextOf(request)
      if (isLeft(context)) return toErrorResponse(context.left)
      const { caller, fields } = admitted.right
      const result = await run({ caller, fields, context: context.right, request })()
      if (isRight(result)) return result.right
      const failure: Failure | Invalid<Problem> = result.left
      return failure._tag === 'Invalid' ? invalidFields(codes, failure.problems) : toErrorResponse(failure)
    }
  const failures: ReadonlyArray<FailureKind> = [...access.failures, ...ofBody, ...(spec.failures ?? [])]
  return {
    spec: { ...spec, failures },
    // Without the store, nothing keeps an operation waiting.
    respond: failures.includes('StoreUnavailable')
      ? (request) => request.deadline.limit(answer(request), toErrorResponse, waitMs(request))
      : answer,
  }
}

/** A guard that reads fields of the form needs a body that has them. */
type BodyFor<Form> = unknown extends Form ? unknown : Readonly<{ body: BodyShape }>

/** The failures of a body that the operation ignores. */
const IGNORED_BODY_FAILURES = ['MalformedRequest', 'BodyTooLarge', 'Abandoned'] as const

type IgnoredBodyFailure = (typeof IGNORED_BODY_FAILURES)[number]

/** The failures of a body whose fields the operation reads. */
const BODY_FAILURES = [...IGNORED_BODY_FAILURES, 'UnsupportedBody'] as const
