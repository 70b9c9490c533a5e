import type { IncomingMessage } from 'node:http'
import type { HttpOperation, Responder } from './operation.ts'

/** One path and the operations on it. Only operations with a description appear in `/openapi.json`. */
export type Route<Operation extends Responder = HttpOperation> = Readonly<{
  /** The path part of the public URL, if the route stands below it. */
  prefix?: string
  /** Literal: no parameters, no patterns. */
  path: string
  /** The route takes all paths that begin with `path`, which ends with a slash. Literal paths have precedence. */
  isPrefix?: true
  /** HEAD is here only if GET is safe. The server answers OPTIONS on every path. */
  methods: Readonly<Partial<Record<Method, Operation>>>
  /** Returns what the response to OPTIONS has beside `Allow`. */
  preflight?: (message: IncomingMessage) => Readonly<Record<string, string>>
  /** Machines request this path every few seconds. */
  isPolled?: true
}>

/** Returns the routes of a service; `isDraining` tells whether the service is stopping. */
export type Routes = (isDraining: () => boolean) => ReadonlyArray<Route<Responder>>

export type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE'

/** The same routes below the path part of the public URL. */
export const withPrefix = <Operation extends Responder>(
  prefix: string,
  routes: ReadonlyArray<Route<Operation>>,
): ReadonlyArray<Route<Operation>> => routes.map((route) => ({ ...route, prefix }))

/** The path that this server answers on. */
export const fullPath = ({ prefix = '', path }: Route<Responder>): string => `${prefix}${path}`

/** The path as the description shows it. */
export const pathPattern = ({ path, isPrefix }: Route<Responder>): string =>
  isPrefix ? `${path}{path}` : path

/** The path as logs, metrics and traces show it. */
export const fullPathPattern = (route: Route<Responder>): string =>
  fullPath({ ...route, path: pathPattern(route) })

/** The methods of a route, as `Allow` lists them, without OPTIONS. */
export const methodsOf = ({ methods }: Route<Responder>): ReadonlyArray<Method> =>
  Object.keys(methods) as Array<Method> // the type of `methods` admits no other keys
