import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Overloaded } from '../../../application/ports/failures.ts'
import type { HashingRefused, HashingRequest } from '../../../application/ports/password-hasher.ts'
import { fairQueue } from './fair-queue.ts'

/** How many hashes run at once, and how long a hash may wait. */
export type QueueSettings = Readonly<{ concurrency: number; maxWaitMs: number }>

/** Runs a job when its turn comes. A job that throws is refused as `Overloaded`. */
export type HashingQueue = <A>(
  job: () => Promise<A>,
  request: HashingRequest,
) => TaskEither<HashingRefused, A>

/**
 * A queue for expensive jobs of similar length, fair between shares and bounded by time. It is full when the expected
 * wait of a new job exceeds `maxWaitMs`. Then the new job is refused, unless another share has more jobs: the newest
 * job of the largest share is refused instead. When its turn comes, a job is skipped if its request is aborted,
 * or if it has waited twice `maxWaitMs` because of other shares.
 *
 * @param firstEstimateMs the duration of a job before the first measurement
 * @param now a monotonic clock, in milliseconds
 */
export const timeBoundedQueue = (
  { concurrency, maxWaitMs }: QueueSettings,
  firstEstimateMs: number,
  now = () => performance.now(),
): HashingQueue => {
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
        settle() // the caller finds the freed slot
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
    { signal, onStart }: HashingRequest,
  ): Promise<E.Either<HashingRefused, A>> => {
    if (signal?.aborted) return E.left({ _tag: 'Abandoned' })
    onStart?.()
    try {
      return E.right(await measured(job))
    } catch {
      // The input is valid, so the failure is a lack of memory.
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

/** `run` never rejects. It resolves with a function that reports the outcome to the caller. */
type Job = Readonly<{ run: () => Promise<() => void>; refuse: () => void }>

const overloaded = (waitMs: number): Overloaded => ({
  _tag: 'Overloaded',
  retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
})

/** A bound for the memory of waiting requests, for any `maxWaitMs`. */
const MAX_WAITING = 1_000

/** With `maxWaitMs` 0, a job that begins at once is not late. */
const NEVER_LATE_MS = 1_000

/** Weight of the newest measurement: a few jobs are enough to follow a change of speed. */
const SMOOTHING = 0.2
