import type { Bench } from './bench-run.ts'
import { type LoadSize, load, type Next } from './load.ts'
import type { Measured } from './report.ts'
import { type Aim, quantile, spreadOf, summarize } from './statistics.ts'
import type { Subject } from './subject.ts'

/** CPU time of one request, in microseconds. */
export type Cost = Readonly<{ user: number; system: number }>

export const totalOf = ({ user, system }: Cost): number => user + system

/** Measures one value. */
export type Side<A> = () => Promise<A>

/** Measures the CPU time of a server per request under a load. */
export const costOf =
  (subject: Subject, next: Next, size: LoadSize): Side<Cost> =>
  async () => {
    const before = await subject.usage()
    await load(subject.port, next, size)
    const after = await subject.usage()
    return {
      user: (after.user - before.user) / size.requests,
      system: (after.system - before.system) / size.requests,
    }
  }

/**
 * Measures all sides once per round, A B, then B A, and so on, so that a slow change of the machine affects all alike. The
 * first round only warms up.
 */
export const inRounds = async <Name extends string, A>(
  sides: Readonly<Record<Name, Side<A>>>,
  rounds: number,
): Promise<Readonly<Record<Name, ReadonlyArray<A>>>> => {
  const names = Object.keys(sides) as Array<Name>
  const measured = {} as Record<Name, Array<A>>
  for (const name of names) measured[name] = []
  for (let round = 0; round <= rounds; round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const value = await sides[name]()
      if (round > 0) measured[name].push(value)
    }
  return measured
}

/** One value divided by the other, round by round. */
export const ratios = (of: ReadonlyArray<number>, by: ReadonlyArray<number>): ReadonlyArray<number> =>
  of.map((value, round) => value / (by[round] ?? Number.NaN))

/** The ceiling, our service and, with `BASE`, the service of another tree. */
export type Sides = Readonly<{ ceiling: Side<Cost>; ours: Side<Cost>; base?: Side<Cost> }>

/** The cost of the ceiling divided by ours: 0.5 means that our request takes twice the CPU time. */
export const compareCosts = async (
  { rounds }: Pick<Bench, 'rounds'>,
  { title, aim, ceilingName, ...sides }: Sides & Readonly<{ title: string; aim?: Aim; ceilingName: string }>,
): Promise<Measured> => {
  const { ceiling, ours, base } = await inRounds<string, Cost>(sides, rounds)
  const [theirs = [], our = []] = [ceiling?.map(totalOf), ours?.map(totalOf)]
  return {
    title,
    value: summarize(ratios(theirs, our)),
    ...(aim === undefined ? {} : { aim }),
    details: [`ours ${costText(ours)}`, `${ceilingName} ${costText(ceiling)}`]
      .concat(base === undefined ? [] : [`base ${costText(base)}`])
      .join(', '),
    cpu: { ours: costText(ours), ceiling: costText(ceiling) },
    ceilingSpread: spreadOf(summarize(theirs)),
    againstBase: base === undefined ? undefined : summarize(ratios(our, base.map(totalOf))),
  }
}

/** The medians of user and system time, as `51+12 µs`. */
export const costText = (costs: ReadonlyArray<Cost> = []): string => {
  const median = (of: keyof Cost) =>
    quantile(
      costs.map((cost) => cost[of]),
      0.5,
    )
  const [user, system] = [median('user'), median('system')]
  const [unit, scale] = user + system < MICROSECONDS_BELOW ? ['µs', 1] : ['ms', 1_000]
  const digits = (user + system) / scale < 10 ? 1 : 0
  return `${(user / scale).toFixed(digits)}+${(system / scale).toFixed(digits)} ${unit}`
}

const MICROSECONDS_BELOW = 10_000
