import { setTimeout } from 'node:timers/promises'

/** Repeats work through an outage of the server. */
export type Patience = Readonly<{
  /**
   * Runs `work`, and runs it again while the server is away and time is left. `work` may be called several times.
   *
   * @throws the error of the last call
   */
  through: <A>(work: () => Promise<A>) => Promise<A>
}>

/**
 * All work shares one outage: from its first failure on, everything waits together. After that time nothing waits,
 * because a long outage must not make every request slow.
 *
 * While work waits, only `probe` asks the server. Thousands of waiting queries would each open connections.
 *
 * @param options.isAway whether an error shows that the server is away, and that the work was certainly not done
 * @param options.probe succeeds if the server is back
 * @param options.patienceMs how long work waits, from the beginning of the outage
 */
export const patience = ({
  isAway,
  probe,
  patienceMs,
}: Readonly<{
  isAway: (error: unknown) => boolean
  probe: () => Promise<unknown>
  patienceMs: number
}>): Patience => {
  let outage: Readonly<{ until: number; seenAt: number }> | undefined
  let recovery: Promise<boolean> | undefined

  /** An outage that nothing has met for so long is another one. */
  const begin = (): number => {
    const now = performance.now()
    const isSame = outage !== undefined && now < outage.seenAt + FORGOTTEN_AFTER * patienceMs
    outage = { until: isSame && outage !== undefined ? outage.until : now + patienceMs, seenAt: now }
    return outage.until
  }

  const probeUntil = async (until: number): Promise<boolean> => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if (performance.now() + pause >= until) return false
      await setTimeout(pause)
      const isBack = await probe().then(
        () => true,
        () => false,
      )
      if (isBack) return true
    }
  }

  /** The probe may hang, or have been started by work with less time left. */
  const isBackBefore = async (until: number): Promise<boolean> => {
    const left = until - performance.now()
    if (left <= FIRST_PAUSE_MS) return false
    recovery ??= probeUntil(until).finally(() => {
      recovery = undefined
    })
    const ending = new AbortController()
    const isBack = await Promise.race([recovery, setTimeout(left, false, { signal: ending.signal })])
    ending.abort()
    return isBack || isBackBefore(until)
  }

  return {
    through: async (work) => {
      const began = performance.now()
      for (;;) {
        try {
          const done = await work()
          outage = undefined
          return done
        } catch (error) {
          if (!isAway(error)) throw error
          const until = Math.min(begin(), began + patienceMs)
          if (!(await isBackBefore(until))) throw error
        }
      }
    },
  }
}

const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 250

/** In multiples of the patience. */
const FORGOTTEN_AFTER = 2
