import { type Aim, noiseOf, type Summary, type Verdict, verdictOf } from './statistics.ts'

/** One line of the table. */
export type Measured = Readonly<{
  title: string
  value: Summary
  /** Written after each value: `ms`, `MB` or nothing for a ratio. */
  unit?: string
  aim?: Aim
  /** The values behind the ratio. */
  details: string
  /** The user and system CPU time of a request, as `costText` writes it, where the row compares CPU times. */
  cpu?: Readonly<{ ours: string; ceiling?: string }>
  ceilingSpread: number
  /** Our CPU time over that of the other tree, with `BASE`. */
  againstBase?: Summary | undefined
}>

/** A measured line, and what the machine did meanwhile. */
export type Judged = Measured &
  Readonly<{
    row: string
    steal: number
    noise: ReadonlyArray<string>
    verdict: Verdict
  }>

export const judged = (
  row: string,
  measured: Measured,
  machine: Readonly<{ busyBefore: number; steal: number }>,
): Judged => {
  const noise = noiseOf({ ...machine, ceilingSpread: measured.ceilingSpread })
  const verdict = verdictOf(measured.value, measured.aim, noise.length > 0)
  return { ...measured, row, steal: machine.steal, noise, verdict }
}

export const isNoisy = (lines: ReadonlyArray<Judged>): boolean => lines.some(({ noise }) => noise.length > 0)

/** The line of a row that has just been measured. */
export const lineOf = (judgedRow: Judged): string => {
  const { row, title, aim, verdict, details, noise, againstBase } = judgedRow
  const value = `${title}: ${valueText(judgedRow)}`
  const target =
    aim === undefined ? '' : `, target ${numberOf(aim.target)}, floor ${numberOf(aim.floor)}: ${verdict}`
  return [
    `${row.padEnd(NAME_WIDTH)} ${value}${target}`,
    `${' '.repeat(NAME_WIDTH)}   ${details}`,
    ...(againstBase === undefined
      ? []
      : [`${' '.repeat(NAME_WIDTH)}   ours/base ${summaryText(againstBase)}`]),
    ...noise.map((reason) => `${' '.repeat(NAME_WIDTH)}   noisy: ${reason}`),
  ].join('\n')
}

const NAME_WIDTH = 16

const valueText = ({ value, unit = '' }: Measured): string =>
  `${summaryText(value)}${unit === '' ? '' : ` ${unit}`}`

const summaryText = ({ median, low, high, count }: Summary): string =>
  count === 1 ? numberOf(median) : `${numberOf(median)} (${numberOf(low)}–${numberOf(high)})`

/** At most two decimals, and none for large numbers. */
export const numberOf = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2)

/** A share as a percentage with one decimal. */
export const percentOf = (share: number): string => `${(share * 100).toFixed(1)} %`

/** All lines as a table. */
export const tableOf = (rows: ReadonlyArray<Judged>): string => {
  const hasBase = rows.some(({ againstBase }) => againstBase !== undefined)
  const cells = [
    [
      'row',
      'value (quartiles)',
      'target',
      'floor',
      ...(hasBase ? ['ours/base'] : []),
      'CPU ours',
      'CPU ceiling',
      'steal',
      'verdict',
    ],
    ...rows.map((one) => [
      one.title,
      valueText(one),
      one.aim === undefined ? '–' : numberOf(one.aim.target),
      one.aim === undefined ? '–' : numberOf(one.aim.floor),
      ...(hasBase ? [one.againstBase === undefined ? '–' : summaryText(one.againstBase)] : []),
      one.cpu?.ours ?? '–',
      one.cpu?.ceiling ?? '–',
      percentOf(one.steal),
      one.verdict,
    ]),
  ]
  const widths =
    cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? []
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
