import { SAMPLE } from '../operation/samples.ts'
import { type MediaType, type OpenApi, type Operation, resolved } from './document.ts'

/**
 * A line for a shell that asks for an operation, with the first example of its body. It takes the token from `$TOKEN`,
 * and keys from `$PUBLIC_API_KEY` and `$PRIVATE_API_KEY`, so that none has to stand in a line that a shell keeps.
 *
 * @param method in capitals
 */
export const curlLine = (document: OpenApi, method: string, url: string, operation: Operation): string => {
  const body = operation.requestBody && resolved(document, operation.requestBody)
  const [type, media = {}] = Object.entries(body?.content ?? {})[0] ?? []
  return [
    `curl -s ${method === 'HEAD' ? '--head' : `-X ${method}`} ${quoted(url)}`,
    ...credentials(document, operation),
    ...(type === undefined ? [] : bodyWords(type, exampleOf(document, media))),
  ].join(' \\\n  ')
}

/** Of several ways to say who asks, the first. */
const credentials = (document: OpenApi, { security }: Operation): ReadonlyArray<string> => {
  const [first = {}] = security ?? document.security ?? []
  return Object.keys(first).map((name) =>
    document.components?.securitySchemes?.[name]?.scheme === 'basic'
      ? '-u "$PUBLIC_API_KEY:$PRIVATE_API_KEY"'
      : '-H "Authorization: Bearer $TOKEN"',
  )
}

const FORM = 'application/x-www-form-urlencoded'

const bodyWords = (type: string, value: unknown): ReadonlyArray<string> => {
  if (value === undefined) return []
  if (type === FORM && typeof value === 'object' && value !== null)
    return Object.entries(value).map(([name, one]) => `--data-urlencode ${quoted(`${name}=${one}`)}`)
  return [`-H ${quoted(`Content-Type: ${type}`)}`, `-d ${withKeys(quoted(JSON.stringify(value)))}`]
}

const exampleOf = (document: OpenApi, { example, examples = {} }: MediaType): unknown => {
  const [first] = Object.values(examples)
  return example ?? (first && resolved(document, first)?.value)
}

/** With the keys of whoever pastes it in place of those of an example. */
const withKeys = (word: string): string =>
  word
    .replace(SAMPLE.publicApiKey, `'"$PUBLIC_API_KEY"'`)
    .replace(SAMPLE.privateApiKey, `'"$PRIVATE_API_KEY"'`)

/** As one word of a shell that means nothing but itself. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
