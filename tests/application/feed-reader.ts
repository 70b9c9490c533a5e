import type { Either } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { logWaiters } from '../../application/log-waiters.ts'
import type { AbortSignalLike } from '../../application/ports/password-hasher.ts'
import type { Store } from '../../application/ports/store.ts'
import { type FeedPage, type PrunedThrough, readFeed } from '../../application/read-feed.ts'
import type { FeedRequest } from '../../domain/event-feed.ts'
import { drivenBackground } from './background.ts'
import { settableClock } from './fakes.ts'

const START = '2026-01-02T03:04:05.000Z'

export type Answer = Either<Readonly<{ _tag: string }>, FeedPage>

/** The feed of a store, with time that the test drives. */
export const feedReader = (
  store: Pick<Store, 'readEpoch' | 'readEvents'>,
  prunedThrough: PrunedThrough = TE.right(0),
) => {
  const clock = settableClock(START)
  const background = drivenBackground(clock)
  const pausing: Array<() => void> = []
  const waiters = logWaiters({
    store,
    background: {
      ...background,
      after: (milliseconds, task) => {
        background.after(milliseconds, task)
        for (const paused of pausing.splice(0)) paused()
      },
    },
  })
  const read = readFeed({
    store,
    prunedThrough,
    waiters,
    timer: { now: clock.read, until: () => async () => {} },
  })
  const paused = () => new Promise<undefined>((resolve) => pausing.push(() => resolve(undefined)))
  return {
    read: (request: Partial<FeedRequest> = {}, signal?: AbortSignalLike): Promise<Answer> =>
      read(signal === undefined ? {} : { signal: () => signal }, {
        after: undefined,
        limit: undefined,
        type: undefined,
        wait: undefined,
        ...request,
      })(),
    /** Resolves with the answer, or with undefined once the request waits. */
    orWaits: (answer: Promise<Answer>): Promise<Answer | undefined> => Promise.race([answer, paused()]),
    passSeconds: background.passSeconds,
    now: () => clock.read() - Date.parse(START),
    stop: waiters.stop,
  }
}
