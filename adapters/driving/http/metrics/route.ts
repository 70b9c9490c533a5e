import { pipe } from 'fp-ts/lib/function.js'
import type { Task } from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Answer, Content } from '../operation/answer.ts'
import { OF_IGNORED_BODIES, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { text } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'

/**
 * What the service has measured, for whoever asks: nothing in it is secret, but it is the operator's business. Requests that come
 * while an exposition is made share it.
 */
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
      group: 'Operation',
      summary: 'What was measured',
      details: 'Not here where `METRICS_PORT` is set, but on that port.',
      successes: [
        {
          status: 200,
          description: 'Metrics of this process, for Prometheus.',
          type: 'text/plain',
          body: text('The text format of Prometheus, version 0.0.4.'),
        },
      ],
      fails: OF_IGNORED_BODIES,
      examples: [],
    },
    ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.chainTaskK(() => shared),
        TE.map((content): Answer => ({ status: 200, content })),
      ),
  )
  return { path: '/metrics', methods: { GET: get, HEAD: get }, isPolled: true }
}
