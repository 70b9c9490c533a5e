import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Store } from '../../../application/ports/store.ts'
import type { PublishedKeys } from '../../../application/published-keys.ts'
import { failed, ok } from '../answer.ts'
import { ignoreBody } from '../body.ts'
import { answerTo } from '../failures.ts'
import type { Route } from '../route.ts'

/** Whether the process is alive: it answers. */
export const healthRoute: Route = {
  path: '/healthz',
  methods: ['GET', 'HEAD'],
  answer: ({ message }) =>
    pipe(
      ignoreBody(message),
      TE.match(answerTo, () => ok({ status: 'alive' })),
    ),
}

/** Whether it should be sent work: the store answers, its keys can be used, and it is not about to stop. */
export const readinessRoute = (
  store: Pick<Store, 'listSigningKeys'>,
  publishedKeys: PublishedKeys,
  isDraining: () => boolean,
): Route => ({
  path: '/readyz',
  methods: ['GET', 'HEAD'],
  answer: ({ message }) =>
    pipe(
      ignoreBody(message),
      TE.chainW(() => store.listSigningKeys()), // now, and not as it was a second ago
      TE.chainW(() => publishedKeys),
      TE.match(answerTo, () =>
        isDraining()
          ? failed(503, 'The service is about to stop.', { 'Retry-After': '5' })
          : ok({ status: 'ready' }),
      ),
    ),
})
