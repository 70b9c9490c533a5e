import { execFileSync } from 'node:child_process'
import { OWN_TREE, type Row, scriptAt } from '../bench-run.ts'
import { openConsole, pagesOf } from '../console-pages.ts'
import { CHEAP_HASHES, fileOf, prepare } from '../portcullis.ts'
import { numberOf } from '../report.ts'
import { type Summary, summarize } from '../statistics.ts'

/** Users, and as many entries of two days beside their registrations. `SIZE=1000000` takes some minutes. */
const SIZE = process.env.SIZE ?? '100000'
const APPLICATIONS = '200'

type Slowest = Readonly<{ page: string; times: Summary }>

export const CONSOLE_ROWS: ReadonlyArray<Row> = [
  {
    name: 'console',
    what: 'the slowest page of the console beside its checks, against a limit',
    measure: async ({ folder, rounds, keep }) => {
      const prepared = prepare(OWN_TREE, folder, CHEAP_HASHES)
      execFileSync(process.execPath, [scriptAt('fill-store.js'), fileOf(prepared), SIZE])
      execFileSync(process.execPath, [scriptAt('fill-log.js'), fileOf(prepared), SIZE, APPLICATIONS])
      const began = performance.now()
      const opened = await keep(openConsole(prepared))
      const start = performance.now() - began
      const all = new Map<string, Array<number>>(pagesOf(prepared).map((page) => [page, []]))
      for (let round = 0; round < rounds; round += 1)
        for (const [page, times] of all) {
          await opened.check() // does nothing while the checks run
          times.push(await opened.timeOf(page))
        }
      const slowest = [...all]
        .map(([page, times]): Slowest => ({ page, times: summarize(times) }))
        .reduce((most, one) => (one.times.median > most.times.median ? one : most))
      return [
        {
          title: 'the slowest page of the console beside its checks',
          value: slowest.times,
          unit: 'ms',
          aim: { better: 'lower', target: 1_000, floor: 1_000 },
          details: `${slowest.page}, of ${all.size} pages; ${SIZE} users, twice as many entries; the read model was built in ${numberOf(start / 1000)} s`,
          ceilingSpread: 0,
        },
      ]
    },
  },
]
