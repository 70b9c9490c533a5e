import { right } from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Clock } from '../../../application/ports/environment.ts'
import {
  type CountKind,
  type FailureCounts,
  KEPT_AT_MOST,
} from '../../../application/ports/failure-counts.ts'
import type { Failures } from '../../../domain/throttle.ts'
import { STORE_CLOSED } from '../records/unavailable.ts'

/**
 * Failure counts in the memory of the process.
 *
 * @param keptAtMost the number of keys of each kind
 */
export const memoryFailureCounts = (clock: Clock, keptAtMost = KEPT_AT_MOST): FailureCounts => {
  const kinds = new Map<CountKind, Room>()
  let closed = false

  const roomOf = (kind: CountKind): Room => {
    const room = kinds.get(kind) ?? newRoom(clock, keptAtMost[kind])
    kinds.set(kind, room)
    return room
  }

  return {
    update:
      ({ kind, key }, decide) =>
      async () => {
        if (closed) return STORE_CLOSED
        const { counts, makeRoom } = roomOf(kind)
        const { kept, answer } = decide(O.fromNullable(counts.get(key)))
        if (O.isNone(kept)) counts.delete(key)
        else counts.set(key, kept.value)
        makeRoom()
        return right(answer)
      },
    close: async () => {
      closed = true
    },
  }
}

/** The counts of one kind. */
type Room = Readonly<{ counts: Map<string, Failures>; makeRoom: () => void }>

const newRoom = (clock: Clock, keptAtMost: number): Room => {
  const counts = new Map<string, Failures>()
  let tidiedAbove = Math.min(keptAtMost, TIDIED_ABOVE)

  /** Deletes expired counts each time the number has doubled. Above the limit it then also frees a tenth, so that it rarely sorts. */
  const makeRoom = (): void => {
    if (counts.size <= tidiedAbove) return
    const isFull = counts.size > keptAtMost
    const now = clock()
    for (const [key, { forgottenFrom }] of counts) if (forgottenFrom <= now) counts.delete(key)
    if (isFull) evict(counts, counts.size - Math.floor(keptAtMost * 0.9))
    tidiedAbove = Math.min(keptAtMost, Math.max(TIDIED_ABOVE, 2 * counts.size))
  }

  return { counts, makeRoom }
}

/** Deletes so many counts: first those of one failure, and among equals those that end first. */
const evict = (counts: Map<string, Failures>, excess: number): void => {
  let left = excess
  for (const isRepeated of [false, true]) {
    if (left <= 0) return
    // Counts of one failure are never replaced, so they are in this order already: sorting them is fast.
    const byEnd = [...counts]
      .filter(([, { count }]) => count > 1 === isRepeated)
      .sort(([, one], [, other]) => one.forgottenFrom - other.forgottenFrom)
    for (const [key] of byEnd.slice(0, left)) counts.delete(key)
    left -= byEnd.length
  }
}

const TIDIED_ABOVE = 1_000
