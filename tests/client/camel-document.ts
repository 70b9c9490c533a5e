import { type Compile, compilerFor, operationsOf, resolved } from '../support/open-api.ts'

/** Their answers keep the names of other standards: CloudEvents, RFC 8414 and OpenAPI. */
const KEEP_NAMES = ['readFeed', 'getOauthMetadata', 'getOpenIdMetadata', 'describe']

/** Operations that the client has by another name: those of another method or path. */
const OTHER_NAMES = ['postProfile', 'getChangePassword', 'postUserinfo', 'getOauthMetadataOfIssuer']

/** The differences between what a method returned and the success that the document of the service describes. */
export type SuccessValidator = (id: string, returned: object) => ReadonlyArray<unknown>

/** The operations of a document that the client has, and what compares the successes of methods with it. */
export const camelDocument = (
  text: string,
): Readonly<{ ids: ReadonlyArray<string>; validate: SuccessValidator }> => {
  const camel = JSON.stringify(renamed(JSON.parse(text)))
  const places = { wire: placesOf(text), camel: placesOf(camel) }
  return {
    ids: [...places.wire.schemas.keys()].filter((id) => !OTHER_NAMES.includes(id)),
    validate: (id, returned) => {
      const { schemas, compile } = places[KEEP_NAMES.includes(id) ? 'wire' : 'camel']
      const { type, schema } = schemas.get(id) ?? {}
      const { ok, ...body } = returned as { ok: boolean }
      if (ok !== true) return [returned]
      if (schema === undefined || type === undefined) return Object.keys(body) // there is no body
      const [value, others] = valueIn(type, body)
      const isValid = compile(schema)
      return [...(isValid(value) ? [] : (isValid.errors ?? [])), ...others]
    },
  }
}

type Success = Readonly<{ type?: string; schema?: object }>

const placesOf = (text: string): Readonly<{ schemas: ReadonlyMap<string, Success>; compile: Compile }> => ({
  compile: compilerFor(text, 'answers'),
  schemas: new Map(
    operationsOf(resolved(text)).map(({ operation: { operationId, responses } }) => {
      const status = Object.keys(responses).find((one) => one.startsWith('2')) ?? ''
      const [[type, media] = []] = Object.entries(responses[status]?.content ?? {})
      return [operationId, type === undefined || media === undefined ? {} : { type, schema: media.schema }]
    }),
  ),
})

/** What stands for the body, and the names of members that no success may have beside it. */
const valueIn = (
  type: string,
  { items, next, text, bytes, ...rest }: Readonly<Record<string, unknown>>,
): readonly [value: unknown, others: ReadonlyArray<string>] => {
  if (type.startsWith('text/')) return [text, Object.keys(rest)]
  if (type === 'application/octet-stream')
    return [bytes instanceof Uint8Array && bytes.length > 0 ? 'bytes' : undefined, Object.keys(rest)]
  if (items !== undefined)
    return [items, [...Object.keys(rest), ...(typeof next === 'string' ? [] : ['next'])]]
  return [next === undefined ? rest : { ...rest, next }, []]
}

/** A document whose schemas have the names of a program. */
const renamed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(renamed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, within]) => {
      if (key === 'properties')
        return [
          key,
          Object.fromEntries(Object.entries(within).map(([name, one]) => [camelOf(name), renamed(one)])),
        ]
      if (key === 'required' && Array.isArray(within)) return [key, within.map(camelOf)]
      return [key, renamed(within)]
    }),
  )
}

const camelOf = (name: string): string => name.replace(/_./g, ([, letter = '']) => letter.toUpperCase())
