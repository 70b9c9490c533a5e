import type { OpenAPIV3_1 } from 'openapi-types'
import { EXAMPLE } from '../operation/example-values.ts'
import type { DocumentedOperation } from './operations.ts'
import { isRef, resolved } from './reference.ts'

type Document = OpenAPIV3_1.Document

/**
 * A shell command that calls an operation with the first example of its body. It takes secrets from the variables `TOKEN`,
 * `PUBLIC_API_KEY` and `PRIVATE_API_KEY`, so that the history of the shell does not contain them.
 */
export const curlCommand = (
  document: Document,
  { method, url, operation }: Pick<DocumentedOperation, 'method' | 'url' | 'operation'>,
): string => {
  const body = operation.requestBody && resolved(document, operation.requestBody)
  const [type, media = {}] = Object.entries(body?.content ?? {})[0] ?? []
  return [
    `curl -s ${method === 'HEAD' ? '--head' : `-X ${method}`} ${quoted(withExamples(document, url, operation))}`,
    ...credentials(document, operation),
    ...(type === undefined ? [] : bodyArguments(type, exampleOf(document, media))),
  ].join(' \\\n  ')
}

/** The URL with the examples of its parameters. */
const withExamples = (
  document: Document,
  url: string,
  { parameters = [] }: OpenAPIV3_1.OperationObject,
): string =>
  parameters
    .map((parameter) => resolved(document, parameter))
    .reduce(
      (made, parameter) =>
        parameter?.in === 'path' && parameter.example !== undefined
          ? made.replace(`{${parameter.name}}`, () => String(parameter.example))
          : made,
      url,
    )

/** The first of the permitted credentials. */
const credentials = (
  document: Document,
  { security }: OpenAPIV3_1.OperationObject,
): ReadonlyArray<string> => {
  const [first = {}] = security ?? document.security ?? []
  return Object.keys(first).map((name) => {
    const scheme = document.components?.securitySchemes?.[name]
    return scheme !== undefined && !isRef(scheme) && scheme.type === 'http' && scheme.scheme === 'basic'
      ? '-u "$PUBLIC_API_KEY:$PRIVATE_API_KEY"'
      : '-H "Authorization: Bearer $TOKEN"'
  })
}

const FORM = 'application/x-www-form-urlencoded'

const bodyArguments = (type: string, value: unknown): ReadonlyArray<string> => {
  if (value === undefined) return []
  if (type === FORM && typeof value === 'object' && value !== null)
    return Object.entries(value).map(([name, one]) => `--data-urlencode ${quoted(`${name}=${one}`)}`)
  return [`-H ${quoted(`Content-Type: ${type}`)}`, `-d ${withKeys(quoted(JSON.stringify(value)))}`]
}

const exampleOf = (document: Document, { example, examples = {} }: OpenAPIV3_1.MediaTypeObject): unknown => {
  const [first] = Object.values(examples)
  return example ?? (first && resolved(document, first)?.value)
}

/** The argument with the variables of the keys instead of the example keys. */
const withKeys = (word: string): string =>
  word
    .replace(EXAMPLE.publicApiKey, `'"$PUBLIC_API_KEY"'`)
    .replace(EXAMPLE.privateApiKey, `'"$PRIVATE_API_KEY"'`)

/** One literal argument of a shell command. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
