import * as TE from 'fp-ts/lib/TaskEither.js'
import type { OpenAPIV3_1 } from 'openapi-types'
import { PUBLIC } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type Route, withPrefix } from '../operation/route.ts'
import { constant, type Schema } from '../operation/schema.ts'
import { openApiDocument } from './document.ts'

/** The routes and their description as JSON. The first call of `document` creates it, so that the start stays fast. */
export type OpenApiSpec = Readonly<{ routes: ReadonlyArray<Route>; document: () => string }>

/**
 * Adds `/openapi.json`, which describes all routes including itself.
 *
 * @param about.prefix the path part of the public URL
 * @param about.version of the service
 * @param pages adds routes that show the document
 */
export const withOpenApi = (
  routes: ReadonlyArray<Route>,
  { prefix, version }: Readonly<{ prefix: string; version: string }>,
  pages: (document: () => OpenAPIV3_1.Document) => ReadonlyArray<Route> = () => [],
): OpenApiSpec => {
  const get = operation(
    {
      id: 'describe',
      tag: 'Operation',
      summary: 'Get this description as JSON',
      access: PUBLIC,
      successes: [
        {
          status: 200,
          description: 'An OpenAPI 3.1 document.',
          body: {
            type: 'object',
            additionalProperties: true,
            properties: { openapi: constant('3.1.1'), info: ANY_OBJECT, paths: ANY_OBJECT },
            required: ['openapi', 'info', 'paths'],
          },
        },
      ],
      examples: [],
    },
    () => TE.right({ status: 200, content: { type: 'application/json; charset=utf-8', data: bytes() } }),
  )
  const all: ReadonlyArray<Route> = [
    ...routes,
    ...pages(() => value()),
    ...withPrefix(prefix, [{ path: '/openapi.json', methods: { GET: get, HEAD: get } }]),
  ]
  const value = once(() => openApiDocument(all, prefix, version))
  const document = once(() => JSON.stringify(value()))
  const bytes = once(() => Buffer.from(document()))
  return { routes: all, document }
}

/** An object with any members. Without `additionalProperties`, client generators would create a type without members. */
const ANY_OBJECT: Schema = { type: 'object', additionalProperties: true }

/** Calls `make` once and keeps its result. */
const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
