import { type Cost, workDurations } from '../hashing/durations.ts'
import { type ScryptCost, workOf } from './record.ts'

/** Estimates how long a scrypt hash of any cost takes. The work is N·r·p blocks. */
export const hashDurations = () => {
  const durations = workDurations(MS_PER_BLOCK)
  return {
    measured: (cost: ScryptCost, ms: number): void => durations.measured(named(cost), ms),
    upperMs: (cost: ScryptCost): number => durations.upperMs(named(cost)),
  }
}

/** The estimate before the first measurement. */
export const estimateMs = (cost: ScryptCost): number => workOf(cost) * MS_PER_BLOCK

/** About a third of a microsecond. */
const MS_PER_BLOCK = 1 / 3000

const named = (cost: ScryptCost): Cost => ({
  name: `${cost.logN} ${cost.r} ${cost.p}`,
  work: workOf(cost),
})
