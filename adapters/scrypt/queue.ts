import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import pLimit from 'p-limit'
import type { HashingRefused } from '../../application/ports/password-hasher.ts'

/** How much hashing goes on at once, and how long a hash may wait for its turn. */
export type QueueSettings = Readonly<{ concurrency: number; maxWaitMs: number }>

/**
 * A queue for expensive jobs of about the same length, bounded by time: a job that is expected to wait longer
 * than it may is refused at once, and one that nobody waits for any more is skipped when its turn comes.
 *
 * @param firstGuessMs how long a job takes, until the first ones have been measured
 */
export const timeBoundedQueue = ({ concurrency, maxWaitMs }: QueueSettings, firstGuessMs: number) => {
  const limit = pLimit(concurrency)
  let typicalMs = firstGuessMs

  const measured = async <A>(job: () => Promise<A>): Promise<A> => {
    const startedAt = performance.now()
    const result = await job()
    typicalMs += SMOOTHING * (performance.now() - startedAt - typicalMs)
    return result
  }

  return <A>(job: () => Promise<A>, wanted: () => boolean): TaskEither<HashingRefused, A> =>
    async () => {
      const turnsToWait = Math.max(0, limit.activeCount + limit.pendingCount + 1 - concurrency) / concurrency
      const waitMs = turnsToWait * typicalMs
      if (waitMs > maxWaitMs) {
        return E.left({ _tag: 'Overloaded', retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) })
      }
      return limit(async () => {
        if (!wanted()) return E.left({ _tag: 'Abandoned' })
        try {
          return E.right(await measured(job))
        } catch {
          // All input is known to be good, so what failed is the machine: it had no memory for it just now.
          return E.left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
        }
      })
    }
}

/** Weight of the newest measurement: a handful of jobs is enough to follow a machine that changes pace. */
const SMOOTHING = 0.2
