import { workDurations } from '../hashing/durations.ts'
import { type ForeignScheme, foreignSchemeText, MS_PER_UNIT, workOf } from '../hashing/foreign-scheme.ts'

/** Estimates how long a verification of any foreign scheme takes. */
export const foreignDurations = () => {
  const byAlgorithm = new Map<string, ReturnType<typeof workDurations>>()

  const durationsOf = ({ algorithm }: ForeignScheme) => {
    const durations = byAlgorithm.get(algorithm) ?? workDurations(MS_PER_UNIT[algorithm])
    byAlgorithm.set(algorithm, durations)
    return durations
  }

  const costOf = (scheme: ForeignScheme) => ({ name: foreignSchemeText(scheme), work: workOf(scheme) })

  return {
    measured: (scheme: ForeignScheme, ms: number): void => durationsOf(scheme).measured(costOf(scheme), ms),
    upperMs: (scheme: ForeignScheme): number => durationsOf(scheme).upperMs(costOf(scheme)),
  }
}
