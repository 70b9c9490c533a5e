import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { ignoreBody } from '../request/body.ts'
import { errorResponseTo } from './failures.ts'
import type { Responder } from './operation.ts'
import type { HttpResponse } from './response.ts'
import type { Route } from './route.ts'

/** A path that leads browsers to another one. `/openapi.json` does not describe it: programs do not need it. */
export const redirect = (path: string, status: 302 | 303, location: string): Route<Responder> => {
  const get: Responder = {
    respond: ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.match(errorResponseTo, (): HttpResponse => ({ status, headers: { Location: location } })),
      ),
  }
  return { path, methods: { GET: get, HEAD: get } }
}
