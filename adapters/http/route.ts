import type { IncomingMessage } from 'node:http'
import type { Task } from 'fp-ts/lib/Task.js'
import type { Call } from '../../application/recorder.ts'
import type { Answer } from './answer.ts'

/** One path of a face, with everything that may be done there. */
export type Route = Readonly<{
  /** Literal: no parameters, no patterns. */
  path: string
  /** HEAD stands here only where GET is safe. OPTIONS goes without saying. */
  methods: ReadonlyArray<'GET' | 'HEAD' | 'POST' | 'DELETE'>
  answer: (request: Request) => Task<Answer>
}>

/** A request that has found its route. */
export type Request = Readonly<{ message: IncomingMessage; call: Call }>

/** Routes behind the path part of the public URL. */
export const behind = (prefix: string, routes: ReadonlyArray<Route>): ReadonlyArray<Route> =>
  routes.map((route) => ({ ...route, path: `${prefix}${route.path}` }))
