import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Answer } from '../operation/answer.ts'
import { OF_IGNORED_BODIES, operation } from '../operation/operation.ts'
import { behind, type Route } from '../operation/route.ts'
import { constant, type Schema } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'
import { type OpenApiDocument, openApiDocument } from './document.ts'

/** Routes, and the document that they are described by: JSON, made when it is first asked for, which a start has not to wait for. */
export type OpenApiSpec = Readonly<{ routes: ReadonlyArray<Route>; document: () => string }>

/**
 * The routes, and the ones that describe them all, themselves too.
 *
 * @param about.prefix the path part of the public URL
 * @param about.version of the service
 * @param pages routes that show the document; they get it as a value, made at the first request
 */
export const withOpenApi = (
  routes: ReadonlyArray<Route>,
  { prefix, version }: Readonly<{ prefix: string; version: string }>,
  pages: (document: () => OpenApiDocument) => ReadonlyArray<Route> = () => [],
): OpenApiSpec => {
  const get = operation(
    {
      id: 'describe',
      group: 'Operation',
      summary: 'This description',
      successes: [
        {
          status: 200,
          description: 'An OpenAPI 3.1 document.',
          body: {
            type: 'object',
            additionalProperties: true,
            properties: { openapi: constant('3.1.1'), info: ANYTHING, paths: ANYTHING },
            required: ['openapi', 'info', 'paths'],
          },
        },
      ],
      fails: OF_IGNORED_BODIES,
      examples: [],
    },
    ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.map(
          (): Answer => ({
            status: 200,
            content: { type: 'application/json; charset=utf-8', data: bytes() },
          }),
        ),
      ),
  )
  const all: ReadonlyArray<Route> = [
    ...routes,
    ...pages(() => made()),
    ...behind(prefix, [{ path: '/openapi.json', methods: { GET: get, HEAD: get } }]),
  ]
  const made = once(() => openApiDocument(all, prefix, version))
  const document = once(() => JSON.stringify(made()))
  const bytes = once(() => Buffer.from(document()))
  return { routes: all, document }
}

/** An object of which no more is said. It says that there may be members, for else whoever makes types of it says that there are none. */
const ANYTHING: Schema = { type: 'object', additionalProperties: true }

/** Calls `make` at the first call and keeps its result. */
const once = <T>(make: () => T): (() => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
