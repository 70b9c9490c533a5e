import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PublishedKeys } from '../../../../application/keys/published-keys.ts'
import type { Store } from '../../../../application/ports/store.ts'
import { ok } from '../operation/answer.ts'
import { OF_IGNORED_BODIES, operation } from '../operation/operation.ts'
import type { Route } from '../operation/route.ts'
import { constant, object } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'

/** Whether the process is alive: it answers. */
const alive = operation(
  {
    id: 'isAlive',
    group: 'Operation',
    summary: 'Whether the process is alive',
    successes: [{ status: 200, description: 'It is.', body: object({ status: constant('alive') }) }],
    fails: OF_IGNORED_BODIES,
    examples: [{ summary: 'Alive', status: 200, answer: { status: 'alive' } }],
  },
  ({ message }) =>
    pipe(
      ignoreBody(message),
      TE.map(() => ok({ status: 'alive' })),
    ),
)

export const healthRoute: Route = { path: '/healthz', methods: { GET: alive, HEAD: alive }, isPolled: true }

/** Whether it should be sent work: the store answers and can be written, its keys can be used, and it is not about to stop. */
export const readinessRoute = (
  store: Pick<Store, 'listSigningKeys' | 'checkWritable'>,
  publishedKeys: PublishedKeys,
  isDraining: () => boolean,
): Route => {
  const ready = operation(
    {
      id: 'isReady',
      group: 'Operation',
      summary: 'Whether to send it work',
      successes: [
        {
          status: 200,
          description:
            'The store can be read and written, the keys can be used, and the process is not about to stop.',
          body: object({ status: constant('ready') }),
        },
      ],
      fails: [...OF_IGNORED_BODIES, 'KeyUnusable', 'StoreUnavailable', 'Draining'],
      examples: [{ summary: 'Ready', status: 200, answer: { status: 'ready' } }],
    },
    ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.chainW(() => store.checkWritable()),
        TE.chainW(() => store.listSigningKeys()), // now, and not as it was a second ago
        TE.chainW(() => publishedKeys),
        TE.filterOrElseW(
          () => !isDraining(),
          () => ({ _tag: 'Draining' }) as const,
        ),
        TE.map(() => ok({ status: 'ready' })),
      ),
  )
  return { path: '/readyz', methods: { GET: ready, HEAD: ready }, isPolled: true }
}
