/** A set of positions of the log as runs, from the first to the last position of each: ascending, and with a gap between two of them. */
export type Runs = ReadonlyArray<Run>

type Run = readonly [first: number, last: number]

/** Returns the runs of positions in any order. Positions may repeat. */
export const runsOf = (positions: ReadonlyArray<number>): Runs =>
  union([positions.map((position) => [position, position] as const)])

/** Returns all positions of sets, given as runs in any order. */
export const union = (sets: ReadonlyArray<Runs>): Runs => {
  const joined: Array<Run> = []
  for (const [first, last] of sets.flat().sort(([one], [other]) => one - other)) {
    const before = joined.at(-1)
    if (before === undefined || first > before[1] + 1) joined.push([first, last])
    else joined[joined.length - 1] = [before[0], Math.max(before[1], last)]
  }
  return joined
}

/** Returns the positions of a set that another one lacks. */
export const without = (runs: Runs, other: Runs): Runs => {
  const left: Array<Run> = []
  let next = 0
  for (const [first, last] of runs) {
    let begin = first
    while ((other[next]?.[1] ?? last) < begin) next += 1
    for (let at = next; begin <= last; at += 1) {
      const [otherFirst, otherLast] = other[at] ?? [last + 1, last + 1]
      if (otherFirst > begin) left.push([begin, Math.min(last, otherFirst - 1)])
      begin = otherLast + 1
    }
  }
  return left
}

export const countOf = (runs: Runs): number => runs.reduce((sum, [first, last]) => sum + last - first + 1, 0)

/** Returns whether a set has a position, by bisection. */
export const hasPosition = (runs: Runs, position: number): boolean => {
  let [from, to] = [0, runs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((runs[middle]?.[1] ?? position) < position) from = middle + 1
    else to = middle
  }
  const [first = position + 1] = runs[from] ?? []
  return first <= position
}

/** Yields the positions of a set in lots of at most `size`. */
export function* lotsOf(runs: Runs, size: number): Generator<ReadonlyArray<number>, void> {
  let lot: Array<number> = []
  for (const [first, last] of runs)
    for (let position = first; position <= last; position += 1) {
      lot.push(position)
      if (lot.length < size) continue
      yield lot
      lot = []
    }
  if (lot.length > 0) yield lot
}

/** The runs as text: in turn how many positions are not in the set, and how many are. The first number counts from position 1. */
export const runsText = (runs: Runs): string => {
  let end = 0
  return runs
    .map(([first, last]) => {
      const numbers = `${first - end - 1} ${last - first + 1}`
      end = last
      return numbers
    })
    .join(' ')
}

/** Reads what `runsText` writes. It returns undefined for every other text. */
export const parseRuns = (text: string): Runs | undefined => {
  const runs: Array<Run> = []
  const numbers = text.split(' ').map(Number)
  let end = 0
  for (let at = 0; at < numbers.length; at += 2) {
    const last = end
    const first = last + 1 + (numbers[at] ?? Number.NaN)
    end = first + (numbers[at + 1] ?? Number.NaN) - 1
    if (!Number.isSafeInteger(end) || end < first || first <= last + (at === 0 ? 0 : 1)) return undefined
    runs.push([first, end])
  }
  return runsText(runs) === text ? runs : undefined
}

/** Splits a set, so that the text of each part has at most `length` characters. A run takes at most 34 of them. */
export const partsOf = (runs: Runs, length: number): ReadonlyArray<Runs> => {
  const parts: Array<Array<Run>> = []
  let rest = 0
  for (const run of runs) {
    const part = parts.at(-1)
    const end = part?.at(-1)?.[1] ?? 0
    const added = runsText([[run[0] - end, run[1] - end]]).length + 1
    if (part === undefined || added > rest) {
      parts.push([run])
      rest = length - runsText([run]).length
    } else {
      part.push(run)
      rest -= added
    }
  }
  return parts
}
