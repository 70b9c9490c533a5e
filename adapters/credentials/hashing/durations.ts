/** The cost of a hash: a name for equal costs, and the work in units that all costs of one algorithm share. */
export type Cost = Readonly<{ name: string; work: number }>

/**
 * Estimates how long a hash of one algorithm takes at any cost, at the upper end of recent measurements. Unmeasured costs are
 * extrapolated from the others, because the time is proportional to the work. Very short measurements show only the overhead.
 *
 * @param msPerUnit the duration of one unit of work before the first measurement
 */
export const workDurations = (msPerUnit: number) => {
  const byCost = new Map<string, Durations>()

  return {
    measured: ({ name, work }: Cost, ms: number): void => {
      const known = byCost.get(name)
      if (known === undefined && byCost.size >= COSTS_AT_MOST) return
      const typicalMs = known === undefined ? ms : known.typicalMs + SMOOTHING * (ms - known.typicalMs)
      const sinkingMs = known === undefined ? ms : known.upperMs + SINKING * (ms - known.upperMs)
      const upperMs = Math.min(Math.max(ms, sinkingMs), OUTLIER * typicalMs)
      byCost.set(name, { work, typicalMs, upperMs })
    },

    upperMs: ({ name, work }: Cost): number => {
      const own = byCost.get(name)
      const others = [...byCost.values()].filter((durations) => durations.upperMs >= MEANINGFUL_MS)
      if (others.length === 0) return own?.upperMs ?? work * msPerUnit
      const fromOthers = others.map(
        (durations) => ((durations.upperMs - OVERHEAD_MS) * work) / durations.work + OVERHEAD_MS,
      )
      return Math.max(own?.upperMs ?? 0, ...fromOthers)
    },
  }
}

type Durations = Readonly<{ work: number; typicalMs: number; upperMs: number }>

/** Weight of the newest measurement. */
const SMOOTHING = 0.2

/** The upper end rises at once and decays slowly: each lower measurement takes this part of the way. */
const SINKING = 0.05

/** Measurements are capped at this multiple of the typical duration, because a process may have been suspended. */
const OUTLIER = 3

/** The duration of a hash without work. */
const OVERHEAD_MS = 0.5

/** A measurement that is mostly work. */
const MEANINGFUL_MS = 10 * OVERHEAD_MS

const COSTS_AT_MOST = 32
