import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Overloaded } from '../../../application/ports/failures.ts'
import type { HashingRefused, HashingRequest } from '../../../application/ports/password-hasher.ts'
import { fairQueue } from './fair-queue.ts'

/** How much hashing goes on at once, and how long a hash may wait for its turn. */
export type QueueSettings = Readonly<{ concurrency: number; maxWaitMs: number }>

/**
 * A queue for expensive jobs of about the same length, fair between shares and bounded by time: it is full when one more job is
 * expected to wait longer than it may. Then a job is refused at once, unless another share has more jobs: in that case the newest
 * job of the share with the most makes room for it. A job that nobody waits for any more is skipped when its turn comes. So is
 * one that has waited twice as long as it may, because others came that had a turn before it.
 *
 * @param firstEstimateMs how long a job takes, until the first ones have been measured
 * @param now a clock that is never set back, in milliseconds
 */
export const timeBoundedQueue = (
  { concurrency, maxWaitMs }: QueueSettings,
  firstEstimateMs: number,
  now = () => performance.now(),
) => {
  const jobs = fairQueue<Job>()
  let running = 0
  let typicalMs = firstEstimateMs

  const startJobs = (): void => {
    while (running < concurrency) {
      const begun = jobs.begin()
      if (begun === undefined) return
      running += 1
      void begun.job.run().then((settle) => {
        running -= 1
        begun.end()
        settle() // whoever hears of it finds the room that it has left
        startJobs()
      })
    }
  }

  const measured = async <A>(job: () => Promise<A>): Promise<A> => {
    const startedAt = now()
    const result = await job()
    typicalMs += SMOOTHING * (now() - startedAt - typicalMs)
    return result
  }

  const outcomeOf = async <A>(
    job: () => Promise<A>,
    { wanted }: HashingRequest,
  ): Promise<E.Either<HashingRefused, A>> => {
    if (!wanted()) return E.left({ _tag: 'Abandoned' })
    try {
      return E.right(await measured(job))
    } catch {
      // All input is known to be good, so what failed is the machine: it had no memory for it just now.
      return E.left({ _tag: 'Overloaded', retryAfterSeconds: 1 })
    }
  }

  return <A>(job: () => Promise<A>, request: HashingRequest): TaskEither<HashingRefused, A> =>
    () =>
      new Promise((resolve, reject) => {
        const turnsToWait = Math.max(0, jobs.load() + 1 - concurrency) / concurrency
        const waitMs = turnsToWait * typicalMs
        const refuse = () => resolve(E.left(overloaded(waitMs)))
        const lateAt = now() + Math.max(2 * maxWaitMs, NEVER_LATE_MS)
        if (waitMs > maxWaitMs || jobs.waiting() >= MAX_WAITING) {
          const displaced = jobs.makeRoomFor(request.share)
          if (displaced === undefined) return refuse()
          displaced.refuse()
        }
        const run = async () => {
          if (now() > lateAt) return refuse
          return outcomeOf(job, request).then(
            (outcome) => () => resolve(outcome),
            (error) => () => reject(error),
          )
        }
        jobs.add(request.share, { run, refuse })
        startJobs()
      })
}

/** `run` never rejects; what it comes to tells the outcome to whoever asked. */
type Job = Readonly<{ run: () => Promise<() => void>; refuse: () => void }>

const overloaded = (waitMs: number): Overloaded => ({
  _tag: 'Overloaded',
  retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
})

/** However long jobs may wait: each of them is a request that is kept in memory. */
const MAX_WAITING = 1_000

/** Where nothing may wait at all, what begins at once is not late. */
const NEVER_LATE_MS = 1_000

/** Weight of the newest measurement: a handful of jobs is enough to follow a machine that changes pace. */
const SMOOTHING = 0.2
