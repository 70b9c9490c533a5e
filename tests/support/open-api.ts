import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Environment } from '../../adapters/config/settings.ts'
import { compose, type Module } from '../../adapters/index.ts'
import { settings } from './settings.ts'

type Modify<T, R> = Omit<T, keyof R> & R

/** The document with responses and headers in place of references to them. */
export type Document = Modify<
  OpenAPIV3_1.Document,
  { servers: Array<OpenAPIV3_1.ServerObject>; paths: Record<string, PathItem> }
>
type PathItem = Modify<OpenAPIV3_1.PathItemObject, Partial<Record<DocumentedMethod, Operation>>>
export type Operation = Modify<
  OpenAPIV3_1.OperationObject,
  {
    operationId: string
    requestBody?: Modify<OpenAPIV3_1.RequestBodyObject, { content: Record<string, Media> }>
    responses: Record<string, Response>
  }
>
export type Response = Modify<
  OpenAPIV3_1.ResponseObject,
  {
    headers: Record<string, Modify<OpenAPIV3_1.HeaderObject, { schema: object }>>
    content?: Record<string, Media>
  }
>
export type Media = Modify<
  OpenAPIV3_1.MediaTypeObject,
  { schema: object; examples?: Record<string, Example> }
>
export type Example = OpenAPIV3_1.ExampleObject & { summary: string }

const METHODS = ['get', 'post', 'delete'] as const
type DocumentedMethod = (typeof METHODS)[number]

/** An operation and its location. `path` includes the prefix. */
export type Placed = Readonly<{ method: string; path: string; operation: Operation }>

/** The document of a service with these settings and modules. */
export const documentOf = async (
  environment: Environment = {},
  ...modules: ReadonlyArray<Module>
): Promise<string> => {
  const service = await compose(settings(environment), ...modules)
  await service.stop()
  return service.openApi()
}

/** The document with every reference to a response or header resolved. */
export const resolved = (text: string): Document => {
  const root = JSON.parse(text)
  const follow = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(follow)
    const { $ref } = value as { $ref?: string } // schemas and examples here have no text key `$ref`
    if ($ref?.startsWith('#/components/responses/') || $ref?.startsWith('#/components/headers/'))
      return follow(
        $ref
          .slice(2)
          .split('/')
          .reduce((within, key) => within[key], root),
      )
    return Object.fromEntries(Object.entries(value).map(([key, within]) => [key, follow(within)]))
  }
  return { ...root, paths: follow(root.paths) as Document['paths'] }
}

export const operationsOf = (document: Document): ReadonlyArray<Placed> =>
  Object.entries(document.paths).flatMap(([path, item]) => {
    const server = (item.servers ?? document.servers)[0]?.url ?? ''
    return METHODS.flatMap((method) => {
      const operation = item[method]
      const whole = `${server === '/' ? '' : server}${path}`
      return operation === undefined ? [] : [{ method: method.toUpperCase(), path: whole, operation }]
    })
  })

export type Compile = (schema: object) => ValidateFunction

/**
 * Compiles the schemas of a document, which may refer to those of its components.
 *
 * @param whose for a request, formats are hints and unknown members are ignored. For a response of this version, formats are
 *   rules, and unknown members and sentences about unlisted fields are errors
 */
export const compilerFor = (text: string, whose: 'requests' | 'answers'): Compile => {
  const schemas = JSON.stringify(JSON.parse(text).components.schemas)
  const compile = compilers.get(whose + schemas) ?? compilerOf(schemas, whose)
  compilers.set(whose + schemas, compile)
  return compile
}

/** Documents of services with other settings hardly differ in their schemas, and to compile one takes longer than a request. */
const compilers = new Map<string, Compile>()

const compilerOf = (schemas: string, whose: 'requests' | 'answers'): Compile => {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: whose === 'answers',
    code: { optimize: false }, // most schemas validate a few values
  })
  formats.default(ajv)
  ajv.addSchema({ $id: 'openapi:', components: { schemas: JSON.parse(schemas) } })
  const known = new WeakMap<object, ValidateFunction>()
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    const before = known.get(schema)
    if (before !== undefined) return before
    const judged = JSON.stringify(whose === 'answers' ? closed(schema) : schema)
    const made =
      compiled.get(judged) ??
      ajv.compile(JSON.parse(judged.replaceAll('"#/components/', '"openapi:#/components/')))
    compiled.set(judged, made)
    known.set(schema, made)
    return made
  }
}

type Closable = {
  properties?: Record<string, Closable>
  additionalProperties?: boolean
  items?: Closable
  oneOf?: ReadonlyArray<Closable>
  allOf?: ReadonlyArray<Closable>
  examples?: ReadonlyArray<unknown>
}

/** The same schema without the allowances for later versions. */
const closed = (schema: Closable): object => {
  const { properties, items, oneOf, allOf, additionalProperties, ...rest } = schema
  if (allOf !== undefined) return { ...rest, allOf, unevaluatedProperties: false }
  return {
    ...rest,
    ...(oneOf && { oneOf: oneOf.map(closed) }),
    ...(items && { items: closed(items) }),
    ...(properties && {
      additionalProperties: additionalProperties ?? false,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [
          name,
          name === 'message' && value.examples !== undefined ? { enum: value.examples } : closed(value),
        ]),
      ),
    }),
  }
}
