import { pipe } from 'fp-ts/lib/function.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { PUBLIC } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import type { Content, HttpResponse } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { text } from '../operation/schema.ts'

/** Metrics for Prometheus. Concurrent requests share one exposition. */
export const metricsRoute = (exposition: Task<Content>): Route => {
  let current: Promise<Content> | undefined
  const shared: Task<Content> = () => {
    current ??= exposition()
      .then(({ type, data }) => ({ type, data: typeof data === 'string' ? Buffer.from(data) : data }))
      .finally(() => {
        current = undefined
      })
    return current
  }
  const get = operation(
    {
      id: 'getMetrics',
      tag: 'Operation',
      summary: 'Get the metrics',
      details: 'With `METRICS_PORT`, only that port serves this path.',
      access: PUBLIC,
      successes: [
        {
          status: 200,
          description: 'Metrics of this process, for Prometheus.',
          type: 'text/plain',
          body: text('The Prometheus text format, version 0.0.4.'),
        },
      ],
      examples: [],
    },
    () =>
      pipe(
        TE.fromTask(shared),
        TE.map((content): HttpResponse => ({ status: 200, content })),
      ),
  )
  return { path: '/metrics', methods: { GET: get, HEAD: get }, isPolled: true }
}
