import { type ScryptCost, workOf } from './record.ts'

/**
 * How long a hash of any cost takes here, at the upper end of what was measured lately. What was never measured at a cost follows
 * from the others, for the work is N·r·p.
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

export type HashDurations = ReturnType<typeof hashDurations>

/** Until hashes have been measured: about a third of a microsecond for each of the N·r·p blocks. */
export const estimateMs = (cost: ScryptCost): number => workOf(cost) / 3000

type Durations = Readonly<{ work: number; typicalMs: number; upperMs: number }>

const keyOf = ({ logN, r, p }: ScryptCost): string => `${logN} ${r} ${p}`

/** Weight of the newest measurement. */
const SMOOTHING = 0.2

/** It rises at once and sinks slowly: each measurement below it takes this part of the way. */
const SINKING = 0.05

/** A process that was stopped for a while measures anything: no more than this many times the typical duration counts. */
const OUTLIER = 3

/** Of a hash at no cost at all: it does not grow with the work. */
const OVERHEAD_MS = 0.5

const COSTS_AT_MOST = 32
