import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../../../../application/recording/recorder.ts'
import type { HttpOperation } from './operation.ts'

/** One path of a face, with everything that may be done there. */
export type Route = Readonly<{
  /** The path part of the public URL, where the route stands behind it. */
  prefix?: string
  /** Literal: no parameters, no patterns. */
  path: string
  /** HEAD stands here only where GET is safe. OPTIONS goes without saying. */
  methods: Readonly<Partial<Record<Method, HttpOperation>>>
  /** Machines ask it again and again. */
  isPolled?: true
}>

/** All routes of a service, which tells them whether it is about to stop. */
export type Routes = (isDraining: () => boolean) => ReadonlyArray<Route>

export type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE'

/** A request that has found its route. */
export type Request = Readonly<{ message: IncomingMessage; call: RequestContext }>

/** Routes behind the path part of the public URL. */
export const behind = (prefix: string, routes: ReadonlyArray<Route>): ReadonlyArray<Route> =>
  routes.map((route) => ({ ...route, prefix }))

/** Where a route is to be found on this machine. */
export const fullPath = ({ prefix = '', path }: Route): string => `${prefix}${path}`

/** The methods of a route, as `Allow` lists them, without OPTIONS. */
export const methodsOf = ({ methods }: Route): ReadonlyArray<Method> => Object.keys(methods) as Array<Method> // only ever made of those
