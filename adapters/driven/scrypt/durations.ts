import { type ScryptCost, workOf } from './record.ts'

/**
 * Estimates how long a hash of any cost takes, at the upper end of recent measurements. Unmeasured costs are
 * extrapolated from the others, because the work is N·r·p.
 */
export const hashDurations = () => {
  const byCost = new Map<string, Durations>()

  return {
    measured: (cost: ScryptCost, ms: number): void => {
      const key = keyOf(cost)
      const known = byCost.get(key)
      if (known === undefined && byCost.size >= COSTS_AT_MOST) return
      const typicalMs = known === undefined ? ms : known.typicalMs + SMOOTHING * (ms - known.typicalMs)
      const sinkingMs = known === undefined ? ms : known.upperMs + SINKING * (ms - known.upperMs)
      const upperMs = Math.min(Math.max(ms, sinkingMs), OUTLIER * typicalMs)
      byCost.set(key, { work: workOf(cost), typicalMs, upperMs })
    },

    upperMs: (cost: ScryptCost): number => {
      const work = workOf(cost)
      const fromOthers = [...byCost.values()].map(
        (durations) => (Math.max(0, durations.upperMs - OVERHEAD_MS) * work) / durations.work + OVERHEAD_MS,
      )
      return Math.max(
        byCost.get(keyOf(cost))?.upperMs ?? 0,
        ...(byCost.size === 0 ? [estimateMs(cost)] : fromOthers),
      )
    },
  }
}

/** The estimate before the first measurement: about a third of a microsecond per block, of N·r·p blocks. */
export const estimateMs = (cost: ScryptCost): number => workOf(cost) / 3000

type Durations = Readonly<{ work: number; typicalMs: number; upperMs: number }>

const keyOf = ({ logN, r, p }: ScryptCost): string => `${logN} ${r} ${p}`

/** Weight of the newest measurement. */
const SMOOTHING = 0.2

/** The upper end rises at once and decays slowly: each lower measurement takes this part of the way. */
const SINKING = 0.05

/** Measurements are capped at this multiple of the typical duration, because a process may have been suspended. */
const OUTLIER = 3

/** The duration of a hash without work. */
const OVERHEAD_MS = 0.5

const COSTS_AT_MOST = 32
