import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PublishedKeys } from '../../../application/keys/published-keys.ts'
import type { Store } from '../../../application/ports/store.ts'
import { IGNORED_BODY_FAILURES, operation } from '../operation/operation.ts'
import { ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { constant, object } from '../operation/schema.ts'
import { ignoreBody } from '../request/body.ts'

/** Answers while the process runs. */
const alive = operation(
  {
    id: 'isAlive',
    tag: 'Operation',
    summary: 'Check that the process runs',
    successes: [
      { status: 200, description: 'The process runs.', body: object({ status: constant('alive') }) },
    ],
    failures: IGNORED_BODY_FAILURES,
    examples: [{ summary: 'Alive', status: 200, body: { status: 'alive' } }],
  },
  ({ message }) =>
    pipe(
      ignoreBody(message),
      TE.map(() => ok({ status: 'alive' })),
    ),
)

export const healthRoute: Route = { path: '/healthz', methods: { GET: alive, HEAD: alive }, isPolled: true }

/** Tells a load balancer whether to send requests: the store works, the keys are usable and the server is not stopping. */
export const readinessRoute = ({
  store,
  publishedKeys,
  isDraining,
}: Readonly<{
  store: Pick<Store, 'listSigningKeys' | 'checkWritable'>
  publishedKeys: PublishedKeys
  isDraining: () => boolean
}>): Route => {
  const ready = operation(
    {
      id: 'isReady',
      tag: 'Operation',
      summary: 'Check that the server accepts requests',
      successes: [
        {
          status: 200,
          description:
            'The store can be read and written, the keys are usable and the server is not stopping.',
          body: object({ status: constant('ready') }),
        },
      ],
      failures: [...IGNORED_BODY_FAILURES, 'KeyUnusable', 'StoreUnavailable', 'Draining'],
      examples: [{ summary: 'Ready', status: 200, body: { status: 'ready' } }],
    },
    ({ message }) =>
      pipe(
        ignoreBody(message),
        TE.chainW(() => store.checkWritable()),
        TE.chainW(() => store.listSigningKeys()), // bypasses the cache of the keys
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
