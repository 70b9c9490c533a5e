import { PUBLIC } from '../../adapters/http/operation/guards.ts'
import type { HttpResponse } from '../../adapters/http/operation/response.ts'
import type { Route } from '../../adapters/http/operation/route.ts'

/** A route without a description that always gives the same response. */
export const plainRoute = (path: string, response: HttpResponse): Route => {
  const description = { tag: 'Operation', summary: '', access: PUBLIC, successes: [], examples: [] } as const
  const spec = { id: path, ...description }
  const get = { spec, respond: () => async () => response }
  return { path, methods: { GET: get, HEAD: get } }
}
