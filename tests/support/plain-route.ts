import type { Answer } from '../../adapters/driving/http/operation/answer.ts'
import type { Route } from '../../adapters/driving/http/operation/route.ts'

/** A route that nothing is said of, and whose answer is always the same. */
export const plainRoute = (path: string, answer: Answer): Route => {
  const about = { id: path, group: 'Operation', summary: '', successes: [], fails: [], examples: [] } as const
  const get = { about, answer: () => async () => answer }
  return { path, methods: { GET: get, HEAD: get } }
}
