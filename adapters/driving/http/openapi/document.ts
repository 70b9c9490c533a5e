import { ACCESS, type Requirement } from '../../../../domain/access.ts'
import { GROUPS, type Group } from '../operation/groups.ts'
import type { About } from '../operation/operation.ts'
import { type Method, methodsOf, type Route } from '../operation/route.ts'
import { FAILURE, HEADERS, PARAMETERS, PREAMBLE, SECURITY } from './components.ts'
import { type MediaType, named, type Reference, type Response, responsesOf } from './responses.ts'

/** An OpenAPI 3.1 document, as far as this service makes use of it. */
export type OpenApiDocument = Readonly<{
  openapi: '3.1.1'
  info: Readonly<{
    title: string
    version: string
    summary: string
    description: string
    license: Readonly<{ name: string; identifier: string }>
  }>
  servers: ReadonlyArray<Server>
  tags: ReadonlyArray<Readonly<{ name: string; description: string }>>
  security: ReadonlyArray<Security>
  paths: Readonly<Record<string, PathItem>>
  components: Readonly<Record<string, unknown>>
}>

type PathItem = Readonly<
  { servers?: ReadonlyArray<Server> } & Partial<Record<Lowercase<Method>, OperationObject>>
>

type Server = Readonly<{ url: string }>
type Security = Readonly<Record<string, ReadonlyArray<string>>>

type OperationObject = Readonly<{
  operationId: string
  tags: ReadonlyArray<string>
  summary: string
  description?: string
  security?: ReadonlyArray<Security>
  parameters: ReadonlyArray<Reference>
  requestBody?: Readonly<{ required: true; content: Readonly<Record<string, MediaType>> }>
  responses: Readonly<Record<string, Response | Reference>>
}>

/**
 * All that the routes say of themselves, as one document. What holds for HEAD and OPTIONS is the same everywhere and is
 * said once, in its preamble.
 *
 * @param prefix the path part of the public URL
 * @param version of the service
 */
export const openApiDocument = (
  routes: ReadonlyArray<Route>,
  prefix: string,
  version: string,
): OpenApiDocument => {
  const operations = routes.flatMap(operationsOf)
  const shared = sharedResponses(operations.map(([, about]) => responsesOf(about)))
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
    tags: GROUP_NAMES.filter((name) => operations.some(([, { group }]) => group === name)).map((name) => ({
      name,
      description: GROUPS[name],
    })),
    security: [],
    paths: Object.fromEntries(
      routes.map((route) => [
        route.path,
        {
          // What only the machine next door asks for does not stand behind the prefix.
          ...(prefix !== '' && route.prefix === undefined ? { servers: [{ url: '/' }] } : {}),
          ...Object.fromEntries(
            operationsOf(route).map(([method, about]) => [
              method.toLowerCase(),
              operationObject(about, shared),
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

const operationsOf = (route: Route): ReadonlyArray<readonly [Method, About]> =>
  methodsOf(route).flatMap((method) => {
    const about = method === 'HEAD' ? undefined : route.methods[method]?.about
    return about === undefined ? [] : [[method, about] as const]
  })

const operationObject = (about: About, shared: SharedResponses): OperationObject => ({
  operationId: about.id,
  tags: [about.group],
  summary: about.summary,
  ...(about.details === undefined ? {} : { description: about.details }),
  ...securityOf(about),
  parameters: [
    'X-Request-Id',
    ...(about.successes.some(({ status }) => status === 304) ? ['If-None-Match'] : []),
  ].map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ...(about.body === undefined ? {} : { requestBody: requestBodyOf(about, about.body) }),
  responses: Object.fromEntries(
    Object.entries(responsesOf(about)).map(([status, response]) => {
      const name = shared.get(JSON.stringify(response))?.name
      return [status, name === undefined ? response : { $ref: `#/components/responses/${name}` }]
    }),
  ),
})

const securityOf = ({ access, byKeys = false }: About): Pick<OperationObject, 'security'> => {
  const security = [
    ...(access === undefined ? [] : [tokenFor(ACCESS[access])]),
    ...(byKeys ? [{ apiKeys: [] }, {}] : []), // nothing besides: keys may stand in the form
  ]
  return security.length === 0 ? {} : { security }
}

const tokenFor = (required: Requirement): Security =>
  required.kind === 'user' ? { userToken: [] } : { applicationToken: [required.scope] }

const GROUP_NAMES = Object.keys(GROUPS) as Array<Group> // those of the table

/** Only what the schema takes is an example of a request; what is wrong is told beside the answer to it. */
const requestBodyOf = ({ examples }: About, { type, schema }: NonNullable<About['body']>) => ({
  required: true as const,
  content: {
    [type]: {
      schema,
      examples: named(
        examples.flatMap(({ summary, fields = {} }) =>
          schema.required?.every((name) => name in fields) ? [{ summary, value: fields }] : [],
        ),
      ),
    },
  },
})

/** By what they are: answers that more than one operation gives to the letter, and a name for each. */
type SharedResponses = ReadonlyMap<string, Readonly<{ name: string; response: Response }>>

const sharedResponses = (operations: ReadonlyArray<Readonly<Record<string, Response>>>): SharedResponses => {
  const shared = new Map<string, { name: string; response: Response }>()
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
