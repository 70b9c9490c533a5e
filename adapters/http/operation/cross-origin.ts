import type { Request } from '../request/request.ts'
import type { HttpOperation, OperationSpec } from './operation.ts'
import type { HttpResponse } from './response.ts'
import type { Route } from './route.ts'

/** Every page may read the responses: they are public, and the same for all (Fetch §3.3). */
export const forAnyOrigin = (route: Route): Route =>
  withResponseHeaders(route, OF_ANY, async () => ({ 'Access-Control-Allow-Origin': '*' }))

const OF_ANY: NonNullable<OperationSpec['responseHeaders']> = {
  'Access-Control-Allow-Origin': {
    description: 'Every page may read the response.',
    schema: { type: 'string', enum: ['*'] },
  },
}

/** Returns the route with more headers in its responses. `described` is in its description. */
export const withResponseHeaders = (
  route: Route,
  described: NonNullable<OperationSpec['responseHeaders']>,
  headersFor: (request: Request, response: HttpResponse) => Promise<Readonly<Record<string, string>>>,
): Route => {
  const readable = ({ spec, respond }: HttpOperation): HttpOperation => ({
    spec: { ...spec, responseHeaders: described },
    respond: (request) => async () => {
      const response = await respond(request)()
      return { ...response, headers: { ...response.headers, ...(await headersFor(request, response)) } }
    },
  })
  const methods = Object.entries(route.methods).map(([method, operation]) => [method, readable(operation)])
  return { ...route, methods: Object.fromEntries(methods) }
}
