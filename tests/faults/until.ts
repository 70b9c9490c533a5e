import { setTimeout as passes } from 'node:timers/promises'
import { awaitedFor } from '../testkit/waiting.ts'

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
export const within = <A>(what: string, work: Promise<A>): Promise<A> =>
  awaitedFor(LATE_AFTER_MS, work, `timed out waiting: ${what}`)

const LATE_AFTER_MS = 60_000
