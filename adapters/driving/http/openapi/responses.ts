import { type Answer, HEADERS_EVERYWHERE, refused } from '../operation/answer.ts'
import type { About, Example, Success } from '../operation/operation.ts'
import { constant, object, type Schema, text } from '../operation/schema.ts'
import { UNEXPECTED } from '../server/app.ts'
import { TOO_MANY_HEADER_LINES, UNMET_EXPECTATION } from '../server/headers.ts'
import { EXTENSIONS_TOO_LARGE, HEADERS_TOO_LARGE, MALFORMED, TOO_SLOW } from '../server/parser-errors.ts'
import { HEADERS, type Header } from './components.ts'
import { failureOf } from './failures.ts'

export type Response = Readonly<{
  description: string
  headers: Readonly<Record<string, Header | Reference>>
  content?: Readonly<Record<string, MediaType>>
}>

export type Reference = Readonly<{ $ref: string }>

export type MediaType = Readonly<{ schema: Schema; examples?: Readonly<Record<string, NamedExample>> }>
type NamedExample = Readonly<{ summary: string; description?: string; value: unknown }>

/** Every answer that an operation gives, by its status. */
export const responsesOf = (about: About): Readonly<Record<string, Response>> => ({
  ...byStatus(about.successes.map((success) => [success.status, successResponse(success, about)])),
  ...(about.codes === undefined ? {} : { 422: wrongFields(about) }),
  ...byStatus(
    grouped([...EVERYWHERE, ...about.fails.map((tag) => failureOf(tag, about))]).map(([status, refusals]) => [
      status,
      failureResponse(status, refusals),
    ]),
  ),
})

type PossibleError = Readonly<{ summary: string; answer: Answer }>

/** What stands before all operations may answer so. */
const EVERYWHERE: ReadonlyArray<PossibleError> = [
  { summary: 'The request is no HTTP/1.1, or breaks a rule of it', answer: MALFORMED },
  { summary: 'The request took too long to arrive', answer: TOO_SLOW },
  { summary: 'The chunk extensions of the body are too large', answer: EXTENSIONS_TOO_LARGE },
  { summary: 'What the request expects is not known here', answer: UNMET_EXPECTATION },
  { summary: 'There are too many header lines', answer: TOO_MANY_HEADER_LINES },
  { summary: 'The request line and the headers are too large', answer: HEADERS_TOO_LARGE },
  { summary: 'Something went wrong in the service', answer: UNEXPECTED },
]

/** By their status, ascending. */
const grouped = (
  refusals: ReadonlyArray<PossibleError>,
): ReadonlyArray<readonly [status: number, ReadonlyArray<PossibleError>]> => {
  const statuses = [...new Set(refusals.map(({ answer }) => answer.status))].sort((a, b) => a - b)
  return statuses.map((status) => [status, refusals.filter(({ answer }) => answer.status === status)])
}

const byStatus = (
  responses: ReadonlyArray<readonly [status: number, Response]>,
): Readonly<Record<string, Response>> =>
  Object.fromEntries(responses.map(([status, response]) => [String(status), response]))

const successResponse = ({ status, description, type, body, headers }: Success, about: About): Response => ({
  description,
  headers: { ...headersOf([HEADERS_EVERYWHERE]), ...headers },
  ...(body === undefined
    ? {}
    : content(
        body,
        about.examples.flatMap((example) =>
          'status' in example && example.status === status && example.answer !== undefined
            ? [{ ...headingOf(example), value: example.answer }]
            : [],
        ),
        type,
      )),
})

const headingOf = ({ summary, fields }: Example): Omit<NamedExample, 'value'> => ({
  summary,
  ...(fields === undefined ? {} : { description: `The answer to \`${JSON.stringify(fields)}\`` }),
})

/** Every code with the fields it is of, and the sentences that it may come with: those are for people, and no promise. */
const wrongFields = (about: About): Response => {
  const { codes = {}, impossible = [] } = about
  const items = Object.entries(codes)
    .filter(([problem]) => !impossible.includes(problem))
    .map(([, item]) => item)
    .sort((one, other) => one.code - other.code)
  const examples = about.examples.flatMap((example) =>
    'wrong' in example ? [{ ...headingOf(example), value: refused(codes, [...example.wrong]).body }] : [],
  )
  const lines = items.map(({ code, param, message }) => `- ${code}, \`${param}\`: ${message}`)
  return {
    description: `All that is wrong with the fields, ascending by code.\n\n${lines.join('\n')}`,
    headers: headersOf([HEADERS_EVERYWHERE]),
    ...content(
      object({
        success: constant(false),
        code: constant(422),
        message: text('A sentence for people.'),
        errors: {
          type: 'array',
          minItems: 1,
          items: {
            oneOf: [...new Set(items.map(({ code }) => code))].map((code) => {
              const those = items.filter((item) => item.code === code)
              return object({
                code: constant(code),
                message: { type: 'string', examples: those.map(({ message }) => message) },
                param: constant(those[0]?.param ?? ''),
              })
            }),
          },
        },
      }),
      examples,
    ),
  }
}

const failureResponse = (status: number, refusals: ReadonlyArray<PossibleError>): Response => ({
  description: refusals.map(({ summary }) => `${summary}.`).join(' '),
  headers: headersOf(refusals.map(({ answer }) => ({ ...HEADERS_EVERYWHERE, ...answer.headers }))),
  ...content(
    {
      allOf: [
        { $ref: '#/components/schemas/Failure' },
        { type: 'object', properties: { code: { const: status } } },
        ...moreOf(refusals),
      ],
    },
    refusals.map(({ summary, answer }) => ({ summary, value: answer.body })),
  ),
})

/** What some of these refusals say beside the envelope, in the words of another standard. */
const moreOf = (refusals: ReadonlyArray<PossibleError>): ReadonlyArray<Schema> => {
  const bodies = refusals.map(({ answer }): Readonly<Record<string, unknown>> => ({ ...answer.body }))
  const codes = [...new Set(bodies.flatMap(({ error }) => (typeof error === 'string' ? [error] : [])))]
  if (codes.length === 0) return []
  return [
    {
      type: 'object',
      properties: {
        error: { type: 'string', description: 'What RFC 6749 or 6750 call it.', enum: codes },
        error_description: text('As `message`.'),
      },
      ...(bodies.every((body) => 'error' in body) && { required: ['error', 'error_description'] }),
    },
  ]
}

const content = (
  schema: Schema,
  examples: ReadonlyArray<NamedExample>,
  type = 'application/json',
): Readonly<{ content: Readonly<Record<string, MediaType>> }> => ({
  content: { [type]: { schema, ...(examples.length === 0 ? {} : { examples: named(examples) }) } },
})

/** Examples under names that say what they show. */
export const named = (examples: ReadonlyArray<NamedExample>): Readonly<Record<string, NamedExample>> =>
  Object.fromEntries(
    examples.map((example) => [example.summary.toLowerCase().replaceAll(/[^a-z]+/g, '-'), example]),
  )

/** The headers of answers under one status: each is required that all of them have. */
const headersOf = (
  answers: ReadonlyArray<Readonly<Record<string, string>>>,
): Readonly<Record<string, Header | Reference>> => {
  const names = [...new Set(answers.flatMap((headers) => Object.keys(headers)))].filter(
    (name) => name !== 'Connection', // of the connection, and not of the answer (RFC 9110 §7.6.1)
  )
  return {
    'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
    ...Object.fromEntries(names.map((name) => [name, headerOf(name, answers)])),
  }
}

const headerOf = (
  name: string,
  answers: ReadonlyArray<Readonly<Record<string, string>>>,
): Header | Reference => {
  if (name in HEADERS) return { $ref: `#/components/headers/${name}` }
  const values = [...new Set(answers.flatMap(({ [name]: value }) => value ?? []))]
  return {
    description: DESCRIPTIONS[name] ?? name,
    required: answers.every((headers) => name in headers),
    schema: { type: 'string', enum: values },
  }
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'WWW-Authenticate': 'What is asked for (RFC 6750 §3).',
  Accept: 'The type that a body has to be of.',
}
