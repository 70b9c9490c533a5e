import { STATUS_CODES } from 'node:http'
import {
  type Compile,
  compilerFor,
  operationsOf,
  type Placed,
  type Response,
  resolved,
} from '../support/open-api.ts'

/** A request and its response as sent. */
export type Answered = Readonly<{
  method: string
  path: string
  status: number
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
}>

/** The differences between a response and its document; empty when there are none. */
export type AnswerValidator = (answered: Answered) => ReadonlyArray<string>

/** Compares responses of a service with this document. */
export const answerValidator = (text: string): AnswerValidator => {
  const operations = operationsOf(resolved(text))
  const compile = compilerFor(text, 'answers')
  return (answered) => {
    const there = placedAt(operations, answered.path)
    const method = answered.method === 'HEAD' ? 'GET' : answered.method
    const found = there.find((one) => one.method === method)
    const response = found?.operation.responses[answered.status]
    const about = `${answered.method} ${answered.path}: ${answered.status} ${STATUS_CODES[answered.status]}`
    if (response !== undefined)
      return wrongWith(answered, response, compile).map((wrong) => `${about}: ${wrong}`)
    if (found !== undefined && !isForMethod(answered, there)) return [`${about} is not documented`]
    return isGeneral(answered, there) ? [] : [`${about} is no answer to what is not documented`]
  }
}

/** The operations of a path. Literal paths have precedence over a path that ends with a parameter. */
const placedAt = (operations: ReadonlyArray<Placed>, path: string): ReadonlyArray<Placed> => {
  const literal = operations.filter((one) => one.path === path)
  if (literal.length > 0) return literal
  return operations.filter(
    (one) => one.path.endsWith('{path}') && path.startsWith(one.path.slice(0, -'{path}'.length)),
  )
}

/** HEAD is not available on every path with GET. */
const isForMethod = ({ method, status }: Answered, there: ReadonlyArray<Placed>): boolean =>
  method === 'HEAD' && status === 405 && there.length > 0

const wrongWith = (
  { method, headers, body }: Answered,
  response: Response,
  compile: Compile,
): ReadonlyArray<string> => [
  ...wrongHeaders(headers, response, compile),
  ...(method === 'HEAD'
    ? body === ''
      ? []
      : ['HEAD has a body']
    : wrongBody(headers, body, response, compile)),
]

/** Headers of the connection and of the message framing. */
const OF_TRANSPORT = [
  'date',
  'connection',
  'keep-alive',
  'content-type',
  'content-length',
  'transfer-encoding',
]

const wrongHeaders = (
  headers: Answered['headers'],
  response: Response,
  compile: Compile,
): ReadonlyArray<string> => {
  const documented = Object.entries(response.headers).map(([name, header]) => ({
    name: name.toLowerCase(),
    ...header,
  }))
  const names = documented.map(({ name }) => name)
  return [
    ...Object.keys(headers)
      .filter((name) => !names.includes(name) && !OF_TRANSPORT.includes(name))
      .map((name) => `the header ${name} is not documented`),
    ...documented.flatMap(({ name, required, schema }) => {
      const value = headers[name]
      if (value === undefined) return required ? [`the header ${name} is missing`] : []
      const isValid = compile(schema)
      return isValid('type' in schema && schema.type === 'integer' ? Number(value) : value)
        ? []
        : [`the header ${name}: ${value} ${reasons(isValid)}`]
    }),
  ]
}

const wrongBody = (
  headers: Answered['headers'],
  body: string,
  { content = {} }: Response,
  compile: Compile,
): ReadonlyArray<string> => {
  const [type] = Object.keys(content)
  if (type === undefined) return body === '' ? [] : ['there is a body']
  const actual = headers['content-type']?.split(';')[0]
  if (actual !== type) return [`the body is ${actual} instead of ${type}`]
  const isValid = compile(content[type]?.schema ?? {})
  return isValid(/[/+]json$/.test(type) ? parsed(body) : body) ? [] : [`${body} ${reasons(isValid)}`]
}

/** A value that no schema accepts stands for invalid JSON. */
const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const reasons = ({ errors }: { errors?: unknown }): string => JSON.stringify(errors)

/** Whether the document describes the refusal for all paths: unknown paths and methods, and malformed requests. */
const isGeneral = (
  { method, path, status, headers, body }: Answered,
  there: ReadonlyArray<Placed>,
): boolean => {
  if (method === 'OPTIONS' && status === 204)
    return (there.length > 0 || path === '*') && headers.allow !== undefined && body === ''
  if (status === 405 && (there.length === 0 || headers.allow === undefined)) return false
  if (status === 404 && there.length > 0) return false
  if (![400, 404, 405, 408, 413, 417, 431, 500].includes(status)) return false
  if (method === 'HEAD') return body === ''
  const { success, code, message, ...more } = Object(parsed(body))
  return success === false && code === status && typeof message === 'string' && Object.keys(more).length === 0
}
