import { mkdtempSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Bench, Row } from './bench-run.ts'
import { busyShare, leaveToServers, machineLine, machineTimes, shareSince } from './machine.ts'
import { commandOf, helpOf, type Plan, planText } from './plan.ts'
import { isNoisy, type Judged, judged, lineOf, percentOf, tableOf } from './report.ts'
import { HISTORY_ROWS } from './rows/history.ts'
import { LATENCY_ROWS } from './rows/latency.ts'
import { OIDC_ROWS } from './rows/oidc.ts'
import { PASSWORD_ROWS } from './rows/passwords.ts'
import { POSTGRES_ROWS } from './rows/postgres.ts'
import { PROCESS_ROWS } from './rows/process.ts'
import { QUICK_ROWS } from './rows/quick.ts'
import { RENEWAL_ROWS } from './rows/renewal.ts'
import { SECOND_FACTOR_ROWS } from './rows/second-factor.ts'
import { USER_SEARCH_ROWS } from './rows/user-search.ts'
import { NOISE_LIMITS } from './statistics.ts'

/** Runs the rows that `ROWS` names, or all, and prints each as it finishes. */
const ALL: ReadonlyArray<Row> = [
  ...QUICK_ROWS,
  ...RENEWAL_ROWS,
  ...PASSWORD_ROWS,
  ...SECOND_FACTOR_ROWS,
  ...LATENCY_ROWS,
  ...OIDC_ROWS,
  ...HISTORY_ROWS,
  ...PROCESS_ROWS,
  ...POSTGRES_ROWS,
  ...USER_SEARCH_ROWS,
]

const say = (text: string): void => void writeSync(1, `${text}\n`)

const measure = async ({ name, measure }: Row, { rounds, base }: Plan): Promise<ReadonlyArray<Judged>> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const kept: Array<Readonly<{ stop: () => Promise<void> }>> = []
  const bench: Bench = {
    folder,
    rounds,
    baseTree: base === undefined ? undefined : resolve(base),
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

/** The lines of a row, or none if it fails. */
const measureAndSay = async (row: Row, plan: Plan): Promise<ReadonlyArray<Judged>> => {
  try {
    const lines = await measure(row, plan)
    for (const line of lines) say(lineOf(line))
    return lines
  } catch (error) {
    process.exitCode = 1
    say(`${row.name}: failed: ${error instanceof Error ? error.message : error}`)
    return []
  }
}

const run = async (plan: Plan): Promise<void> => {
  say(machineLine())
  say(`${planText(plan, ALL)}\n`)
  const atStart = machineTimes()
  const rows = ALL.filter(({ name }) => plan.names.includes(name))
  const lines: Array<Judged> = []
  for (const row of rows) lines.push(...(await measureAndSay(row, plan)))
  say(`\n${tableOf(lines)}`)
  say('\nCPU times are user+system. Steal is the share of the CPU that the hypervisor took.')
  say(`Steal of the whole run: ${percentOf(shareSince('steal', atStart))}.`)
  if (isNoisy(lines)) {
    const { busyBefore, steal, ceilingSpread } = NOISE_LIMITS
    const percent = (share: number) => `${share * 100} %`
    say(
      `\nNoisy: other work took over ${percent(busyBefore)} of the CPU before the row, the hypervisor over ${percent(steal)}, or the quartiles of the ceiling lie over ${percent(ceilingSpread)} apart. Repeat these rows on a quiet machine.`,
    )
  }
}

const command = commandOf(process.argv.slice(2), process.env, ALL)
if (command.kind === 'run') await run(command.plan)
else if (command.kind === 'help') say(helpOf(ALL))
else {
  writeSync(2, `${command.message}\n`)
  process.exitCode = 2
}
