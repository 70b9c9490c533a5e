import type { OpenAPIV3_1 } from 'openapi-types'
import type { Requirement } from '../../../domain/access.ts'
import { type OperationSpec, TAGS, type Tag } from '../operation/operation.ts'
import { type Method, methodsOf, pathPattern, type Route } from '../operation/route.ts'
import type { Schema } from '../operation/schema.ts'
import { FAILURE, HEADERS, PARAMETERS, PREAMBLE, SECURITY } from './components.ts'
import { named, responsesOf } from './responses.ts'

/**
 * The OpenAPI document of the routes. HEAD and OPTIONS are the same for every path, so only the preamble describes them.
 *
 * @param prefix the path part of the public URL
 * @param version of the service
 */
export const openApiDocument = (
  routes: ReadonlyArray<Route>,
  prefix: string,
  version: string,
): OpenAPIV3_1.Document => {
  const operations = routes.flatMap(operationsOf)
  const shared = sharedResponses(operations.map(([, spec]) => responsesOf(spec)))
  return {
    openapi: '3.1.1',
    info: {
      title: 'Portcullis',
      version,
      summary: 'Tokens for applications, sign-in for users, and their profiles.',
      description: PREAMBLE,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: prefix === '' ? '/' : prefix }],
    tags: TAG_NAMES.filter((name) => operations.some(([, { tag }]) => tag === name)).map((name) => ({
      name,
      description: TAGS[name],
    })),
    security: [],
    paths: Object.fromEntries(
      routes.map((route) => [
        pathPattern(route),
        {
          // Routes without the prefix are for local checks and scrapes.
          ...(prefix !== '' && route.prefix === undefined ? { servers: [{ url: '/' }] } : {}),
          ...Object.fromEntries(
            operationsOf(route).map(([method, spec]) => [
              method.toLowerCase(),
              operationObject(spec, shared),
            ]),
          ),
        },
      ]),
    ),
    components: {
      schemas: { Failure: FAILURE },
      responses: Object.fromEntries([...shared.values()].map(({ name, response }) => [name, response])),
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: SECURITY,
    },
  }
}

const operationsOf = (route: Route): ReadonlyArray<readonly [Method, OperationSpec]> =>
  methodsOf(route).flatMap((method) => {
    const spec = method === 'HEAD' ? undefined : route.methods[method]?.spec
    return spec === undefined ? [] : [[method, spec] as const]
  })

const operationObject = (spec: OperationSpec, shared: SharedResponses): OpenAPIV3_1.OperationObject => ({
  operationId: spec.id,
  tags: [spec.tag],
  summary: spec.summary,
  ...(spec.details === undefined ? {} : { description: spec.details }),
  ...securityOf(spec),
  parameters: [
    ...(spec.pathParameter === undefined ? [] : [pathParameter(spec.pathParameter)]),
    ...namedParametersOf(spec),
    ...Object.entries(spec.query ?? {}).map(([name, parameter]) => ({
      name,
      in: 'query',
      ...parameter,
    })),
  ],
  ...(spec.body === undefined ? {} : { requestBody: requestBodyOf(spec, spec.body) }),
  responses: Object.fromEntries(
    Object.entries(responsesOf(spec)).map(([status, response]) => {
      const name = shared.get(JSON.stringify(response))?.name
      return [status, name === undefined ? response : { $ref: `#/components/responses/${name}` }]
    }),
  ),
})

const pathParameter = ({
  description,
  example,
}: NonNullable<OperationSpec['pathParameter']>): OpenAPIV3_1.ParameterObject => ({
  name: 'path',
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
  example,
})

const namedParametersOf = (spec: OperationSpec): ReadonlyArray<OpenAPIV3_1.ReferenceObject> =>
  [
    'X-Request-Id',
    ...(spec.successes.some(({ status }) => status === 304) ? ['If-None-Match'] : []),
    ...(spec.requestHeaders ?? []),
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }))

const securityOf = ({
  access: { required, acceptsClientCredentials },
}: OperationSpec): Pick<OpenAPIV3_1.OperationObject, 'security'> => {
  const security = [
    ...(required === undefined ? [] : [tokenFor(required)]),
    ...(acceptsClientCredentials ? [{ apiKeys: [] }, {}] : []), // {}: the form may contain the keys
  ]
  return security.length === 0 ? {} : { security }
}

const tokenFor = (required: Requirement): OpenAPIV3_1.SecurityRequirementObject =>
  required.kind === 'user' ? { userToken: [] } : { applicationToken: [required.scope] }

const TAG_NAMES = Object.keys(TAGS) as Array<Tag> // the keys of the table

/** Only fields that the schema accepts are examples of a request. The responses describe the others. */
const requestBodyOf = (
  { examples }: OperationSpec,
  { type, schema, needsOneField = false }: NonNullable<OperationSpec['body']>,
): OpenAPIV3_1.RequestBodyObject => ({
  required: needsOneField || (schema.required !== undefined && schema.required.length > 0),
  content: {
    [type]: {
      schema,
      examples: named(
        examples.flatMap(({ summary, fields = {} }) =>
          conformsTo(schema, fields) && !(needsOneField && Object.keys(fields).length === 0)
            ? [{ summary, value: fields }]
            : [],
        ),
      ),
    },
  },
})

/** Whether all required fields are there, and no field has a value that its schema does not list. */
const conformsTo = ({ required = [], properties = {} }: Schema, fields: Readonly<Record<string, unknown>>) =>
  required.every((name) => name in fields) &&
  Object.entries(fields).every(([name, value]) => {
    const { enum: listed } = properties[name] as Schema
    return listed === undefined || listed.includes(value)
  })

/** The responses that several operations share, by their JSON, and a name for each. */
type SharedResponses = ReadonlyMap<string, Readonly<{ name: string; response: OpenAPIV3_1.ResponseObject }>>

const sharedResponses = (
  operations: ReadonlyArray<Readonly<Record<string, OpenAPIV3_1.ResponseObject>>>,
): SharedResponses => {
  const shared = new Map<string, { name: string; response: OpenAPIV3_1.ResponseObject }>()
  const seen = new Set<string>()
  const counts = new Map<string, number>()
  for (const [status, response] of operations.flatMap(Object.entries)) {
    const text = JSON.stringify(response)
    if (seen.has(text) && !shared.has(text)) {
      const count = (counts.get(status) ?? 0) + 1
      counts.set(status, count)
      shared.set(text, { name: count === 1 ? status : `${status}-${count}`, response })
    }
    seen.add(text)
  }
  return shared
}
