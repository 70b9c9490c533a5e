import type { Clock, Timer } from './ports/environment.ts'

/**
 * Returns a clock that ignores jumps ahead until they have lasted for a day. What is deleted because of a wrong clock is lost, so
 * deletions use this one. It follows the system's clock back at once.
 */
export const steadyClock = ({ clock, timer }: Readonly<{ clock: Clock; timer: Timer }>): Clock => {
  let anchor = { clock: clock(), timer: timer.now() }
  let jumpedAt: number | undefined
  return () => {
    const [now, elapsed] = [clock(), timer.now()]
    const expected = anchor.clock + elapsed - anchor.timer
    if (now <= expected + CORRECTION_MS) {
      jumpedAt = undefined
      return now
    }
    jumpedAt ??= elapsed
    if (elapsed - jumpedAt < A_DAY_MS) return expected
    anchor = { clock: now, timer: elapsed }
    jumpedAt = undefined
    return now
  }
}

/** Corrections by a time server are smaller. */
const CORRECTION_MS = 60_000

const A_DAY_MS = 24 * 3600 * 1000
