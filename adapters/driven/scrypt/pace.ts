import { type ScryptCost, workOf } from './record.ts'

/**
 * How long a hash of any cost takes here, at the upper end of what was measured lately. What was never measured at a cost follows
 * from the others, for the work is N·r·p.
 */
export const hashingPace = () => {
  const paces = new Map<string, Pace>()

  return {
    measured: (cost: ScryptCost, ms: number): void => {
      const key = keyOf(cost)
      const known = paces.get(key)
      if (known === undefined && paces.size >= COSTS_AT_MOST) return
      const typicalMs = known === undefined ? ms : known.typicalMs + SMOOTHING * (ms - known.typicalMs)
      const sinkingMs = known === undefined ? ms : known.upperMs + SINKING * (ms - known.upperMs)
      const upperMs = Math.min(Math.max(ms, sinkingMs), OUTLIER * typicalMs)
      paces.set(key, { work: workOf(cost), typicalMs, upperMs })
    },

    upperMs: (cost: ScryptCost): number => {
      const work = workOf(cost)
      const fromOthers = [...paces.values()].map(
        (pace) => (Math.max(0, pace.upperMs - OVERHEAD_MS) * work) / pace.work + OVERHEAD_MS,
      )
      return Math.max(
        paces.get(keyOf(cost))?.upperMs ?? 0,
        ...(paces.size === 0 ? [guessMs(cost)] : fromOthers),
      )
    },
  }
}

export type HashingPace = ReturnType<typeof hashingPace>

/** Until hashes have been measured: about a third of a microsecond for each of the N·r·p blocks. */
export const guessMs = (cost: ScryptCost): number => workOf(cost) / 3000

type Pace = Readonly<{ work: number; typicalMs: number; upperMs: number }>

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
