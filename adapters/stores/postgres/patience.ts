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
 * Work waits for its own time. It counts from the beginning of the work and not of the outage: otherwise work that begins late in a
 * short outage fails early. A long outage must not make every request slow, so that after twice this time new work does not wait.
 * Twice, because a change may begin late that has waited for the batch before it.
 *
 * While work waits, only probes ask the server. Thousands of waiting queries would each open connections.
 *
 * @param options.isAway whether an error shows that the server is away, and that the work was certainly not done
 * @param options.probe succeeds if the server is back. It may hang: then another one is tried beside it
 * @param options.patienceMs how long work waits
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
  let outage: Readonly<{ since: number; seenAt: number }> | undefined
  let recovery: Promise<boolean> | undefined

  /** Returns when the outage began. An outage that nothing has met for so long is another one. */
  const meet = (): number => {
    const now = performance.now()
    const isSame = outage !== undefined && now < outage.seenAt + 2 * patienceMs
    outage = { since: isSame && outage !== undefined ? outage.since : now, seenAt: now }
    return outage.since
  }

  let hanging = 0

  /** Whether the server is back. A probe that hangs says so later, by `onBack`. */
  const isBackNow = async (onBack: () => void): Promise<boolean> => {
    if (hanging === MOST_HANGING) return false
    hanging += 1
    const answer = probe()
      .then(onBack)
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        hanging -= 1
      })
    return within(PROBE_MS, answer)
  }

  const probeUntil = async (until: number): Promise<boolean> => {
    let isBack = false
    const onBack = (): void => {
      isBack = true
    }
    for (let pause = FIRST_PAUSE_MS; !isBack; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if (performance.now() + pause >= until) return false
      await setTimeout(pause)
      if (!isBack) await isBackNow(onBack)
    }
    return true
  }

  /** The probes may have been started by work with less time left. */
  const isBackBefore = async (until: number): Promise<boolean> => {
    const left = until - performance.now()
    if (left <= FIRST_PAUSE_MS) return false
    recovery ??= probeUntil(until).finally(() => {
      recovery = undefined
    })
    return (await within(left, recovery)) || isBackBefore(until)
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
          const isLong = began >= meet() + 2 * patienceMs
          if (isLong || !(await isBackBefore(began + patienceMs))) throw error
        }
      }
    },
  }
}

/** False if the answer takes longer. */
const within = async (milliseconds: number, answer: Promise<boolean>): Promise<boolean> => {
  const ending = new AbortController()
  const isTrue = await Promise.race([answer, setTimeout(milliseconds, false, { signal: ending.signal })])
  ending.abort()
  return isTrue
}

const FIRST_PAUSE_MS = 25
const LONGEST_PAUSE_MS = 100

/** A server that is back answers sooner. One that is frozen keeps a probe until its time is over. */
const PROBE_MS = 500

/** Each takes a connection. */
const MOST_HANGING = 4
