import type { HttpOperation } from './operation.ts'

/** One path and the operations on it. */
export type Route = Readonly<{
  /** The path part of the public URL, if the route stands below it. */
  prefix?: string
  /** Literal: no parameters, no patterns. */
  path: string
  /** HEAD is here only if GET is safe. The server answers OPTIONS on every path. */
  methods: Readonly<Partial<Record<Method, HttpOperation>>>
  /** Machines request this path every few seconds. */
  isPolled?: true
}>

/** Returns the routes of a service; `isDraining` tells whether the service is stopping. */
export type Routes = (isDraining: () => boolean) => ReadonlyArray<Route>

export type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE'

/** The same routes below the path part of the public URL. */
export const withPrefix = (prefix: string, routes: ReadonlyArray<Route>): ReadonlyArray<Route> =>
  routes.map((route) => ({ ...route, prefix }))

/** The path that this server answers on. */
export const fullPath = ({ prefix = '', path }: Route): string => `${prefix}${path}`

/** The methods of a route, as `Allow` lists them, without OPTIONS. */
export const methodsOf = ({ methods }: Route): ReadonlyArray<Method> => Object.keys(methods) as Array<Method> // the type of `methods` admits no other keys
