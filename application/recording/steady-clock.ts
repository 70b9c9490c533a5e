import type { Either } from 'fp-ts/lib/Either.js'
import { isLeft, right } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Clock, Timer } from '../ports/environment.ts'
import type { Store, StoreUnavailable } from '../ports/store.ts'
import { headOfLog } from './head-of-log.ts'

/** Returns the milliseconds since the epoch for what cannot be undone. It may be late, and is not early because a clock is ahead. */
export type SteadyClock = TaskEither<StoreUnavailable, number>

/**
 * Counts from the newest entry of the log, with a timer, and never passes the system's clock. So a clock that is ahead at the
 * start, or jumps later, deletes nothing early. After a time without entries it is late by that time, until the next start.
 *
 * It reads the log once, when it is first called. Call it before this process writes: entries have the time of its own clock.
 */
export const steadyClock = ({
  store,
  clock,
  timer,
}: Readonly<{ store: Pick<Store, 'readEvents'>; clock: Clock; timer: Timer }>): SteadyClock => {
  let begin: Begin | undefined
  return async () => {
    if (begin === undefined) {
      const newest = await newestTime(store)
      if (isLeft(newest)) return newest
      // An empty log has no row that could expire too early.
      begin ??= { time: newest.right ?? clock(), timer: timer.now() }
    }
    return right(Math.min(clock(), begin.time + timer.now() - begin.timer))
  }
}

/** A time, and the reading of the timer then. */
type Begin = Readonly<{ time: number; timer: number }>

const newestTime = async (
  store: Pick<Store, 'readEvents'>,
): Promise<Either<StoreUnavailable, number | undefined>> => {
  const head = await headOfLog(store, 0)()
  if (isLeft(head)) return head
  const newest = await store.readEvents({ after: Math.max(0, head.right - 1), limit: 1 })()
  if (isLeft(newest)) return newest
  const [entry] = newest.right
  return right(entry && Date.parse(entry.at))
}
