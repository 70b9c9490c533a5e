import { setTimeout as passes } from 'node:timers/promises'

const LOOK_AGAIN_AFTER_MS = 10
const GIVE_UP_AFTER_MS = 180_000

/** Resolves when a condition holds. Rejects after three minutes, of which a busy machine may need two. */
export const until = async (what: string, holds: () => boolean): Promise<void> => {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS
  while (!holds()) {
    if (performance.now() > giveUpAt) throw new Error(`timed out waiting: ${what}`)
    await passes(LOOK_AGAIN_AFTER_MS)
  }
}

/** Resolves with the work. Rejects after a minute, because the timeout of a test does not say what the test waited for. */
export const within = async <A>(what: string, work: Promise<A>): Promise<A> => {
  const ending = new AbortController()
  const late = passes(LATE_AFTER_MS, undefined, { signal: ending.signal }).then(() => {
    throw new Error(`timed out waiting: ${what}`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => {}) // the end of the timer
    ending.abort()
  }
}

const LATE_AFTER_MS = 60_000
