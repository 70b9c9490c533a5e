import { workDurations } from '../hashing/durations.ts'
import { type ForeignScheme, foreignSchemeText, workOf } from '../records/foreign-scheme.ts'

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

/** Durations on a machine of 2024, before the first measurement. */
const MS_PER_UNIT: Readonly<Record<ForeignScheme['algorithm'], number>> = {
  bcrypt: 0.06,
  argon2id: 0.0006,
  argon2i: 0.0006,
  argon2d: 0.0006,
  scrypt: 1 / 3000,
  'pbkdf2-sha1': 0.0004,
  'pbkdf2-sha256': 0.0004,
  'pbkdf2-sha512': 0.0006,
}
