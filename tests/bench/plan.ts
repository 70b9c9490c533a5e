import type { Row } from './bench-run.ts'

type Named = Pick<Row, 'name' | 'what'>

/** What a run measures. */
export type Plan = Readonly<{
  /** The names of the rows. */
  names: ReadonlyArray<string>
  rounds: number
  /** The tree to compare with. */
  base?: string
}>

/** What the command line asks for. A wrong one gets a message, and nothing is measured. */
export type Command =
  | Readonly<{ kind: 'help' }>
  | Readonly<{ kind: 'wrong'; message: string }>
  | Readonly<{ kind: 'run'; plan: Plan }>

export const DEFAULT_ROUNDS = 5

/** Reads the arguments, and `ROWS`, `BASE` and `ROUNDS` of the environment. */
export const commandOf = (
  words: ReadonlyArray<string>,
  { ROWS = '', BASE = '', ROUNDS = '' }: Readonly<Record<string, string | undefined>>,
  all: ReadonlyArray<Named>,
): Command => {
  const unknown = words.filter((word) => word !== '--help')
  if (unknown.length > 0)
    return wrong(`Unknown argument: ${unknown.join(' ')}. Set ROWS, BASE or ROUNDS, or use --help.`)
  if (words.length > 0) return { kind: 'help' }
  const selected = ROWS.split(/\s+/).filter((name) => name !== '')
  const missing = selected.filter((name) => !all.some((row) => row.name === name))
  if (missing.length > 0)
    return wrong(
      `No such row: ${missing.join(', ')}. The rows are: ${all.map(({ name }) => name).join(', ')}.`,
    )
  if (!/^([1-9]\d*)?$/.test(ROUNDS))
    return wrong(`ROUNDS must be a whole number from 1, got ${JSON.stringify(ROUNDS)}.`)
  const names = all.map(({ name }) => name).filter((name) => selected.length === 0 || selected.includes(name))
  const rounds = ROUNDS === '' ? DEFAULT_ROUNDS : Number(ROUNDS)
  return { kind: 'run', plan: { names, rounds, ...(BASE === '' ? {} : { base: BASE }) } }
}

const wrong = (message: string): Command => ({ kind: 'wrong', message })

export const helpOf = (all: ReadonlyArray<Named>): string =>
  [
    'make bench measures speed, memory and start-up, each row beside its ceiling or its limit.',
    '',
    '  make bench                            all rows',
    '  make bench ROWS="profile token"       these rows only',
    '  make bench BASE=/path/to/other/tree   also the service of that tree, which you have built',
    `  make bench ROUNDS=3                   so many rounds; the default is ${DEFAULT_ROUNDS}`,
    '  make bench HELP=1                     this text',
    '',
    'Rows:',
    ...linesOf(all),
  ].join('\n')

/** What a run is about to do. */
export const planText = ({ names, rounds, base }: Plan, all: ReadonlyArray<Named>): string => {
  const rows = all.filter(({ name }) => names.includes(name))
  return [
    `Measures ${rows.length === 1 ? 'one row' : `${rows.length} rows`} of ${all.length}:`,
    ...linesOf(rows),
    `Rounds: ${rounds}, after one that only warms up.`,
    base === undefined ? 'Tree: this one only (BASE is not set).' : `Trees: this one, and BASE, ${base}.`,
  ].join('\n')
}

const linesOf = (rows: ReadonlyArray<Named>): ReadonlyArray<string> => {
  const width = Math.max(...rows.map(({ name }) => name.length))
  return rows.map(({ name, what }) => `  ${name.padEnd(width)}  ${what}`)
}
