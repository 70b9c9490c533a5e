/** The middle of some values, the quartiles around it, and how many values there are. */
export type Summary = Readonly<{ median: number; low: number; high: number; count: number }>

/** The value below which a share of the values lies, by the nearest rank. */
export const quantile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((one, other) => one - other)[Math.max(0, Math.ceil(values.length * share) - 1)] ??
  Number.NaN

export const summarize = (values: ReadonlyArray<number>): Summary => ({
  median: quantile(values, 0.5),
  low: quantile(values, 0.25),
  high: quantile(values, 0.75),
  count: values.length,
})

/** The distance of the quartiles as a share of the median: 0 if all values are the same. */
export const spreadOf = ({ median, low, high }: Summary): number => (high - low) / median

/** What a row should reach, and what it must never miss. */
export type Aim = Readonly<{ better: 'higher' | 'lower'; target: number; floor: number }>

export const VERDICTS = ['reached', 'above the floor', 'below the floor'] as const
export type Verdict = (typeof VERDICTS)[number] | 'too noisy to tell' | 'no target'

/** Why the machine is too noisy, or nothing. Each is a share of 1. */
export type Noise = Readonly<{
  /** CPU time that other work took just before the row. */
  busyBefore: number
  /** CPU time that the hypervisor took during the row. */
  steal: number
  /** The spread of the ceiling's own values over the rounds. */
  ceilingSpread: number
}>

export const NOISE_LIMITS: Noise = { busyBefore: 0.1, steal: 0.02, ceilingSpread: 0.1 }

/** The limits that are exceeded, in words. */
export const noiseOf = (noise: Noise): ReadonlyArray<string> => {
  const over = (what: keyof Noise, words: string) =>
    noise[what] > NOISE_LIMITS[what] ? [`${words} ${Math.round(noise[what] * 100)} %`] : []
  return [
    ...over('busyBefore', 'other work kept the machine busy at'),
    ...over('steal', 'the hypervisor took'),
    ...over('ceilingSpread', 'the ceiling varied by'),
  ]
}

/** The largest share relative to its limit: above 1 is noisy. Of two measurements, the lower one is the quieter. */
export const noiseLevelOf = (noise: Noise): number =>
  Math.max(
    ...(['busyBefore', 'steal', 'ceilingSpread'] as const).map((what) => noise[what] / NOISE_LIMITS[what]),
  )

/** How far noise may have moved the values, as a share of them. Undefined on a quiet machine. */
export const marginOf = (noise: Noise): number | undefined => {
  if (noiseOf(noise).length === 0) return undefined
  return noise.busyBefore > TOO_BUSY ? Number.POSITIVE_INFINITY : noise.ceilingSpread
}

const TOO_BUSY = 0.5

/**
 * The verdict of the median. With noise, both quartiles of at least three rounds, moved apart by the margin, must lead to
 * the same verdict; otherwise the machine is too noisy to tell.
 */
export const verdictOf = (value: Summary, aim: Aim | undefined, margin?: number): Verdict => {
  if (aim === undefined) return 'no target'
  const verdict = verdictOn(value.median, aim)
  if (margin === undefined) return verdict
  const isClear =
    value.count >= CLEAR_FROM &&
    verdictOn(value.low * (1 - margin), aim) === verdict &&
    verdictOn(value.high * (1 + margin), aim) === verdict
  return isClear ? verdict : 'too noisy to tell'
}

const CLEAR_FROM = 3

const verdictOn = (value: number, { better, target, floor }: Aim): (typeof VERDICTS)[number] => {
  const meets = (bound: number) => (better === 'higher' ? value >= bound : value <= bound)
  if (meets(target)) return 'reached'
  return meets(floor) ? 'above the floor' : 'below the floor'
}
