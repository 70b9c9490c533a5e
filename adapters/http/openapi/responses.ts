import type { OpenAPIV3_1 } from 'openapi-types'
import type { Example, OperationSpec, Success } from '../operation/operation.ts'
import { HEADERS_EVERYWHERE, invalidFields } from '../operation/response.ts'
import { constant, object, type Schema, text } from '../operation/schema.ts'
import {
  EXTENSIONS_TOO_LARGE,
  HEADERS_TOO_LARGE,
  MALFORMED,
  TOO_MANY_HEADER_LINES,
  TOO_SLOW,
  UNEXPECTED,
  UNSUPPORTED_EXPECT,
} from '../operation/server-errors.ts'
import { HEADERS, OUTCOME } from './components.ts'
import { type PossibleError, possibleErrors } from './failures.ts'

type Headers = NonNullable<OpenAPIV3_1.ResponseObject['headers']>
type NamedExample = OpenAPIV3_1.ExampleObject & { summary: string }

/** Every response of an operation, by its status. */
export const responsesOf = (spec: OperationSpec): Record<string, OpenAPIV3_1.ResponseObject> =>
  Object.fromEntries(
    Object.entries(ownResponsesOf(spec)).map(([status, response]) => [
      status,
      { ...response, headers: { ...response.headers, ...spec.responseHeaders } },
    ]),
  )

const ownResponsesOf = (spec: OperationSpec): Record<string, OpenAPIV3_1.ResponseObject> => ({
  ...byStatus(spec.successes.map((success) => [success.status, successResponse(success, spec)])),
  ...(spec.codes === undefined ? {} : { 422: invalidFieldsResponse(spec) }),
  ...byStatus(
    grouped([...SERVER_ERRORS, ...(spec.failures ?? []).flatMap((kind) => possibleErrors(kind, spec))]).map(
      ([status, errors]) => [status, errorResponse(status, errors)],
    ),
  ),
})

/** The errors that every operation may have. */
export const SERVER_ERRORS: ReadonlyArray<PossibleError> = [
  { summary: 'The request violates HTTP/1.1', response: MALFORMED },
  { summary: 'The request took too long to arrive', response: TOO_SLOW },
  { summary: 'The chunk extensions of the body are too large', response: EXTENSIONS_TOO_LARGE },
  { summary: 'The Expect header is not supported', response: UNSUPPORTED_EXPECT },
  { summary: 'The request has too many header lines', response: TOO_MANY_HEADER_LINES },
  { summary: 'The request line and the headers are too large', response: HEADERS_TOO_LARGE },
  { summary: 'An unexpected error', response: UNEXPECTED },
]

/** The errors by status, ascending. */
const grouped = (
  errors: ReadonlyArray<PossibleError>,
): ReadonlyArray<readonly [status: number, ReadonlyArray<PossibleError>]> => {
  const statuses = [...new Set(errors.map(({ response }) => response.status))].sort((a, b) => a - b)
  return statuses.map((status) => [status, errors.filter(({ response }) => response.status === status)])
}

const byStatus = (
  responses: ReadonlyArray<readonly [status: number, OpenAPIV3_1.ResponseObject]>,
): Record<string, OpenAPIV3_1.ResponseObject> =>
  Object.fromEntries(responses.map(([status, response]) => [String(status), response]))

const successResponse = (
  { status, description, type, body, headers }: Success,
  spec: OperationSpec,
): OpenAPIV3_1.ResponseObject => ({
  description,
  headers: { ...headersOf([HEADERS_EVERYWHERE]), ...headers },
  ...(body === undefined
    ? {}
    : content(
        body,
        spec.examples.flatMap((example) =>
          'status' in example && example.status === status && example.body !== undefined
            ? [{ ...headingOf(example), value: example.body }]
            : [],
        ),
        type,
      )),
})

const headingOf = ({ summary, fields }: Example): NamedExample => ({
  summary,
  ...(fields === undefined ? {} : { description: `The response to \`${JSON.stringify(fields)}\`` }),
})

/** The 422: every code with its field and its possible messages. The messages are examples, because their words may change. */
const invalidFieldsResponse = (spec: OperationSpec): OpenAPIV3_1.ResponseObject => {
  const { codes = {}, impossible = [], problemMembers } = spec
  const items = Object.entries(codes)
    .filter(([problem]) => !impossible.includes(problem))
    .map(([, item]) => item)
    .sort((one, other) => one.code - other.code)
  const examples = spec.examples.flatMap((example) =>
    'problems' in example
      ? [{ ...headingOf(example), value: invalidFields(codes, [...example.problems], example.more).body }]
      : [],
  )
  const lines = items.map(({ code, param, message }) => `- ${code}, \`${param}\`: ${message}`)
  return {
    description: `All problems with the fields, ascending by code.\n\n${lines.join('\n')}`,
    headers: headersOf([HEADERS_EVERYWHERE]),
    ...content(
      object(
        {
          success: constant(false),
          code: constant(422),
          message: text('Text for people.'),
          errors: {
            type: 'array',
            minItems: 1,
            items: oneOf(
              [...new Set(items.map(({ code }) => code))].map((code) => {
                const same = items.filter((item) => item.code === code)
                return object({
                  code: constant(code),
                  message: { type: 'string', examples: same.map(({ message }) => message) },
                  param: constant(same[0]?.param ?? ''),
                })
              }),
            ),
          },
        },
        undefined,
        problemMembers,
      ),
      examples,
    ),
  }
}

/** One of these schemas; a single one stands for itself. */
const oneOf = ([first, ...others]: ReadonlyArray<Schema>): Schema =>
  first !== undefined && others.length === 0
    ? first
    : { oneOf: first === undefined ? [] : [first, ...others] }

const errorResponse = (status: number, errors: ReadonlyArray<PossibleError>): OpenAPIV3_1.ResponseObject => ({
  description: errors.map(({ summary }) => `${summary}.`).join(' '),
  headers: headersOf(errors.map(({ response }) => ({ ...HEADERS_EVERYWHERE, ...response.headers }))),
  ...content(
    {
      allOf: [
        { $ref: '#/components/schemas/Failure' },
        { type: 'object', properties: { code: { const: status } } },
        ...(status === 503 ? [OUTCOME] : []),
        ...oauthMembers(errors),
      ],
    },
    errors.map(({ summary, response }) => ({ summary, value: response.body })),
  ),
})

/** The members that OAuth adds to the envelope of some of these errors. */
const oauthMembers = (errors: ReadonlyArray<PossibleError>): ReadonlyArray<Schema> => {
  const bodies = errors.map(({ response }): Readonly<Record<string, unknown>> => ({ ...response.body }))
  const codes = [...new Set(bodies.flatMap(({ error }) => (typeof error === 'string' ? [error] : [])))]
  if (codes.length === 0) return []
  return [
    {
      type: 'object',
      properties: {
        error: { type: 'string', description: 'The error code of RFC 6749 or 6750.', enum: codes },
        error_description: text('The same as `message`.'),
      },
      ...(bodies.every((body) => 'error' in body) && { required: ['error', 'error_description'] }),
    },
  ]
}

const content = (
  schema: Schema,
  examples: ReadonlyArray<NamedExample>,
  type = 'application/json',
): Readonly<{ content: Record<string, OpenAPIV3_1.MediaTypeObject> }> => ({
  content: { [type]: { schema, ...(examples.length === 0 ? {} : { examples: named(examples) }) } },
})

/** Examples by names made of their summaries. */
export const named = (examples: ReadonlyArray<NamedExample>): Record<string, NamedExample> =>
  Object.fromEntries(
    examples.map((example) => [example.summary.toLowerCase().replaceAll(/[^a-z]+/g, '-'), example]),
  )

/** The headers of the responses with one status. A header is required if all of them have it. */
const headersOf = (responses: ReadonlyArray<Readonly<Record<string, string>>>): Headers => {
  const names = [...new Set(responses.flatMap((headers) => Object.keys(headers)))].filter(
    (name) => name !== 'Connection', // describes the connection, not the response (RFC 9110 §7.6.1)
  )
  return {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    ...Object.fromEntries(names.map((name) => [name, headerOf(name, responses)])),
  }
}

const headerOf = (
  name: string,
  responses: ReadonlyArray<Readonly<Record<string, string>>>,
): Headers[string] => {
  if (name in HEADERS) return { $ref: `#/components/headers/${name}` }
  const values = [...new Set(responses.flatMap(({ [name]: value }) => value ?? []))]
  return {
    description: DESCRIPTIONS[name] ?? name,
    required: responses.every((headers) => name in headers),
    schema: { type: 'string', enum: values },
  }
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'WWW-Authenticate': 'The required authentication (RFC 6750 §3).',
  Accept: 'The media type that the operation requires.',
}
