import { right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Clock } from '../../../application/ports/environment.ts'
import { type FailureCounts, KEPT_AT_MOST } from '../../../application/ports/failure-counts.ts'
import type { Failures } from '../../../domain/throttle.ts'
import { STORE_CLOSED } from '../records/unavailable.ts'

/**
 * Failure counts in the memory of the process.
 *
 * @param keptAtMost the number of keys
 */
export const memoryFailureCounts = (clock: Clock, keptAtMost = KEPT_AT_MOST): FailureCounts => {
  const counts = new Map<string, Failures>()
  let closed = false

  /** Deletes the expired counts. If that is not enough, it also deletes the tenth that expires next. */
  const makeRoom = (): void => {
    const now = clock()
    for (const [key, { forgottenFrom }] of counts) if (forgottenFrom <= now) counts.delete(key)
    if (counts.size <= keptAtMost) return
    const byEnd = [...counts].sort(([, one], [, other]) => one.forgottenFrom - other.forgottenFrom)
    for (const [key] of byEnd.slice(0, Math.ceil(keptAtMost / 10))) counts.delete(key)
  }

  return {
    update: (key, decide) => async () => {
      if (closed) return STORE_CLOSED
      const { kept, answer } = decide(O.fromNullable(counts.get(key)))
      if (O.isNone(kept)) counts.delete(key)
      else counts.set(key, kept.value)
      if (counts.size > keptAtMost) makeRoom()
      return right(answer)
    },
    close: async () => {
      closed = true
    },
  }
}
