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

export type Verdict = 'reached' | 'above the floor' | 'below the floor' | 'too noisy to tell' | 'no target'

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

/** The verdict of the median. A machine that is too noisy permits none. */
export const verdictOf = (value: Summary, aim: Aim | undefined, isNoisy: boolean): Verdict => {
  if (aim === undefined) return 'no target'
  if (isNoisy) return 'too noisy to tell'
  const meets = (bound: number) => (aim.better === 'higher' ? value.median >= bound : value.median <= bound)
  if (meets(aim.target)) return 'reached'
  return meets(aim.floor) ? 'above the floor' : 'below the floor'
}
