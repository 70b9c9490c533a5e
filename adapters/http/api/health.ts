import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PublishedKeys } from '../../../application/keys/published-keys.ts'
import type { Store } from '../../../application/ports/store.ts'
import { errorResponseTo, type Failure } from '../operation/failures.ts'
import { PUBLIC } from '../operation/guards.ts'
import { operation } from '../operation/operation.ts'
import { type ErrorResponse, ok } from '../operation/response.ts'
import type { Route } from '../operation/route.ts'
import { constant, object } from '../operation/schema.ts'

/** Answers while the process runs. */
const alive = operation(
  {
    id: 'isAlive',
    tag: 'Operation',
    summary: 'Check that the process runs',
    access: PUBLIC,
    successes: [
      { status: 200, description: 'The process runs.', body: object({ status: constant('alive') }) },
    ],
    examples: [{ summary: 'Alive', status: 200, body: { status: 'alive' } }],
  },
  () => TE.right(ok({ status: 'alive' })),
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
      access: PUBLIC,
      successes: [
        {
          status: 200,
          description:
            'The store can be read and written, the keys are usable and the server is not stopping.',
          body: object({ status: constant('ready') }),
        },
      ],
      failures: ['KeyUnusable', 'StoreUnavailable', 'Draining'],
      toErrorResponse: withReason,
      examples: [{ summary: 'Ready', status: 200, body: { status: 'ready' } }],
    },
    () =>
      pipe(
        store.checkWritable(),
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

/** Names what is wrong with the store. The other routes do not, because their clients cannot do anything about it. */
const withReason = (failure: Failure): ErrorResponse => {
  const response = errorResponseTo(failure)
  return failure._tag === 'StoreUnavailable'
    ? {
        ...response,
        body: { ...response.body, message: `The store is not available now: ${failure.reason}.` },
      }
    : response
}
