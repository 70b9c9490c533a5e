import { mkdtempSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Bench, Row } from './bench-run.ts'
import { busyShare, leaveToServers, machineLine, machineTimes, shareSince } from './machine.ts'
import { type Judged, judged, lineOf, tableOf } from './report.ts'
import { LATENCY_ROWS } from './rows/beside-sign-ins.ts'
import { CONNECTION_ROWS } from './rows/connections.ts'
import { GROWTH_ROWS } from './rows/growth.ts'
import { HISTORY_ROWS } from './rows/history.ts'
import { OIDC_ROWS } from './rows/oidc.ts'
import { OVERLOAD_ROWS } from './rows/overload.ts'
import { PASSWORD_ROWS } from './rows/passwords.ts'
import { POSTGRES_ROWS } from './rows/postgres.ts'
import { PROCESS_ROWS } from './rows/process.ts'
import { QUICK_ROWS } from './rows/quick.ts'
import { RENEWAL_ROWS } from './rows/renewal.ts'
import { SECOND_FACTOR_ROWS } from './rows/second-factor.ts'
import { NOISE_LIMITS } from './statistics.ts'

/** Runs the rows that `ROWS` names, or all, and prints each as it finishes. */
const ALL: ReadonlyArray<Row> = [
  ...QUICK_ROWS,
  ...RENEWAL_ROWS,
  ...PASSWORD_ROWS,
  ...SECOND_FACTOR_ROWS,
  ...LATENCY_ROWS,
  ...OIDC_ROWS,
  ...CONNECTION_ROWS,
  ...GROWTH_ROWS,
  ...HISTORY_ROWS,
  ...PROCESS_ROWS,
  ...POSTGRES_ROWS,
  ...OVERLOAD_ROWS,
]

const { ROWS = '', BASE = '', ROUNDS = '' } = process.env
const say = (text: string): void => void writeSync(1, `${text}\n`)

const selected = (): ReadonlyArray<Row> => {
  const names = ROWS.split(/\s+/).filter((name) => name !== '')
  const unknown = names.filter((name) => !ALL.some((row) => row.name === name))
  if (unknown.length > 0) {
    say(`No such row: ${unknown.join(', ')}. The rows are: ${ALL.map(({ name }) => name).join(', ')}.`)
    process.exit(2)
  }
  return names.length === 0 ? ALL : ALL.filter(({ name }) => names.includes(name))
}

const measure = async ({ name, measure }: Row): Promise<ReadonlyArray<Judged>> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const kept: Array<Readonly<{ stop: () => Promise<void> }>> = []
  const bench: Bench = {
    folder,
    rounds: Number(ROUNDS) || DEFAULT_ROUNDS,
    baseTree: BASE === '' ? undefined : resolve(BASE),
    keep: async (starting) => {
      const started = await starting
      kept.push(started)
      return started
    },
  }
  try {
    leaveToServers(1)
    const busyBefore = await busyShare()
    const before = machineTimes()
    const measured = await measure(bench)
    return measured.map((one) => judged(name, one, { busyBefore, steal: shareSince('steal', before) }))
  } finally {
    for (const one of kept.toReversed()) await one.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const DEFAULT_ROUNDS = 5

const finished: Array<Judged> = []
const rows = selected()
say(machineLine())
for (const row of rows) {
  try {
    const lines = await measure(row)
    for (const line of lines) say(lineOf(line))
    finished.push(...lines)
  } catch (error) {
    process.exitCode = 1
    say(`${row.name}: failed: ${error instanceof Error ? error.message : error}`)
  }
}
say(`\n${tableOf(finished)}`)
if (finished.some(({ noise }) => noise.length > 0)) {
  const { busyBefore, steal, ceilingSpread } = NOISE_LIMITS
  const percent = (share: number) => `${share * 100} %`
  say(
    `\nNoisy: other work took over ${percent(busyBefore)} of the CPU before the row, the hypervisor over ${percent(steal)}, or the quartiles of the ceiling lie over ${percent(ceilingSpread)} apart. Repeat these rows on a quiet machine.`,
  )
}
