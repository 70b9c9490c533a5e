import { type Either, isLeft } from 'fp-ts/lib/Either.js'
import { logWaiters } from '../../application/log/log-waiters.ts'
import { type FeedPage, readFeed } from '../../application/log/read-feed.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import type { AbortSignalLike } from '../../application/ports/password-hasher.ts'
import type { Store } from '../../application/ports/store.ts'
import type { ApplicationCaller } from '../../domain/access.ts'
import type { FeedRequest } from '../../domain/event-feed.ts'
import { logCursorText } from '../../domain/log-cursor.ts'
import { anApplication, change, issuedToken, registered, signedIn } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { drivenBackground } from './background.ts'
import { settableClock } from './fakes.ts'

const START = '2026-01-02T03:04:05.000Z'

export type Answer = Either<Readonly<{ _tag: string }>, FeedPage>

/** The feed of a store, with time that the test drives. */
export const feedReader = (store: Pick<Store, 'readEpoch' | 'readEvents'> & Partial<LogTree>) => {
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
    waiters,
    timer: { now: clock.read, until: () => async () => {} },
  })
  const paused = () => new Promise<undefined>((resolve) => pausing.push(() => resolve(undefined)))
  return {
    read: (
      request: Partial<FeedRequest> = {},
      { signal, application = 'follower' }: Readonly<{ signal?: AbortSignalLike; application?: string }> = {},
    ): Promise<Answer> =>
      read(signal === undefined ? {} : { signal: () => signal }, callerOf(application), {
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

const callerOf = (id: string): ApplicationCaller => ({
  kind: 'application',
  application: anApplication({ id }),
  scope: ['events:read'],
})

const FACTS = { ApplicationTokenIssued: issuedToken, UserRegistered: registered, UserSignedIn: signedIn }
export type Written = keyof typeof FACTS

/** Commits an entry of each of these types. */
export const write = (store: Store, ...types: ReadonlyArray<Written>): Promise<void> =>
  commitAll(store, ...types.map((type) => change(FACTS[type]())))

export const pageOf = (answer: Answer): FeedPage => {
  if (isLeft(answer)) throw new Error(`it failed: ${JSON.stringify(answer.left)}`)
  return answer.right
}
export const positionsOf = (answer: Answer) => pageOf(answer).entries.map(({ position }) => position)
/** The cursor behind a page. */
export const behind = ({ epoch, last }: FeedPage): string => logCursorText({ epoch, position: last })
