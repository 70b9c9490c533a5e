/** As much of an OpenAPI 3.1 document as the page shows. */
export type OpenApi = Readonly<{
  info: Readonly<{ title: string; version: string; summary?: string; description?: string }>
  servers?: ReadonlyArray<Server>
  security?: ReadonlyArray<Security>
  tags?: ReadonlyArray<Tag>
  paths?: Readonly<Record<string, PathItem>>
  components?: Readonly<{
    schemas?: Readonly<Record<string, Schema>>
    responses?: Readonly<Record<string, Response>>
    headers?: Readonly<Record<string, Header>>
    parameters?: Readonly<Record<string, Parameter>>
    securitySchemes?: Readonly<Record<string, SecurityScheme>>
  }>
}>

export type Server = Readonly<{ url: string }>

/** One thing, or where in the document it stands: `#/components/…`. */
export type Ref<T> = T | Readonly<{ $ref: string }>

/** What a request has to have: each of these, by the name of its scheme, with these scopes. */
export type Security = Readonly<Record<string, ReadonlyArray<string>>>

export type Tag = Readonly<{ name: string; description?: string }>

export const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'] as const

export type PathItem = Readonly<Partial<Record<(typeof METHODS)[number], Operation>>> &
  Readonly<{ servers?: ReadonlyArray<Server>; parameters?: ReadonlyArray<Ref<Parameter>> }>

export type Operation = Readonly<{
  operationId?: string
  tags?: ReadonlyArray<string>
  summary?: string
  description?: string
  security?: ReadonlyArray<Security>
  parameters?: ReadonlyArray<Ref<Parameter>>
  requestBody?: Ref<Body>
  responses?: Readonly<Record<string, Ref<Response>>>
}>

export type Parameter = Readonly<{
  name: string
  in: string
  description?: string
  required?: boolean
  schema?: Schema
}>

export type Body = Readonly<{ description?: string; required?: boolean; content?: Content }>

export type Response = Readonly<{
  description: string
  headers?: Readonly<Record<string, Ref<Header>>>
  content?: Content
}>

export type Header = Readonly<{ description?: string; required?: boolean; schema?: Schema }>

/** By media type. */
export type Content = Readonly<Record<string, MediaType>>

export type MediaType = Readonly<{
  schema?: Schema
  example?: unknown
  examples?: Readonly<Record<string, Ref<Example>>>
}>

export type Example = Readonly<{ summary?: string; description?: string; value?: unknown }>

export type SecurityScheme = Readonly<{
  type: string
  scheme?: string
  bearerFormat?: string
  description?: string
}>

/** A JSON Schema, draft 2020-12. */
export type Schema = Readonly<{
  $ref?: string
  title?: string
  description?: string
  type?: string | ReadonlyArray<string>
  const?: unknown
  enum?: ReadonlyArray<unknown>
  default?: unknown
  examples?: ReadonlyArray<unknown>
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: ReadonlyArray<string>
  additionalProperties?: boolean | Schema
  allOf?: ReadonlyArray<Schema>
  anyOf?: ReadonlyArray<Schema>
  oneOf?: ReadonlyArray<Schema>
}>

export const isRef = <T extends object>(value: Ref<T>): value is Readonly<{ $ref: string }> =>
  '$ref' in value && typeof value.$ref === 'string'

/** What stands at the place that is referred to; nothing where nothing does. */
export const resolved = <T extends object>(document: OpenApi, value: Ref<T>): T | undefined => {
  if (!isRef(value)) return value
  const [root, ...names] = value.$ref.split('/')
  return root === '#' ? (names.reduce<unknown>(member, document) as T | undefined) : undefined
}

/** A step of a JSON pointer (RFC 6901), into own members only. */
const member = (value: unknown, name: string): unknown => {
  const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined
}
