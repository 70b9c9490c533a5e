import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as passes } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { sqliteStore } from '../../../adapters/stores/sqlite/store.ts'
import { httpClient } from '../../support/http-client.ts'
import { integrated } from '../../support/integration.ts'
import { type Bench, OWN_TREE, type Row, scriptAt } from '../bench-run.ts'
import { type Cost, costText, inRounds, ratios, type Side, totalOf } from '../compare.ts'
import { load } from '../load.ts'
import { fileOf, prepare, type Service, serve, TOKEN_PATH } from '../portcullis.ts'
import { numberOf } from '../report.ts'
import { applicationToken } from '../requests.ts'
import { quantile, spreadOf, summarize } from '../statistics.ts'

/** What the tree of the log costs: for an entry, for the requests beside it, and until a checkpoint covers an entry. */
const SETTINGS = { EVENT_LOG_KEY: `2026:${'e'.repeat(64)}` }

const ENTRIES = 20_000

/** The CPU time to add an entry to an empty tree, in microseconds, with reading, storing and signing. */
const integrationOf = (file: string): Side<Cost> => {
  const db = new Database(file)
  return async () => {
    db.exec(
      "DELETE FROM tiles; UPDATE tree SET size = 0, note = '', root = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    )
    const store = sqliteStore(file)
    const before = process.cpuUsage()
    await integrated(store)
    const { user, system } = process.cpuUsage(before)
    await store.close()
    return { user: user / ENTRIES, system: system / ENTRIES }
  }
}

/** A service whose modules are loaded in the same way, with and without the integration of the log. */
const withParts = async ({ folder, keep }: Bench, body: string): Promise<Service> => {
  const prepared = prepare(OWN_TREE, folder, SETTINGS)
  const parts = join(prepared.folder, 'parts.mjs')
  const index = join(OWN_TREE, 'dist', 'adapters', 'index.js')
  writeFileSync(
    parts,
    `import { Dependency, provide } from ${JSON.stringify(index)}\nexport default [${body}]\n`,
  )
  return keep(serve({ ...prepared, parts }))
}

const THE_SAME_CLOCK = 'provide(Dependency.clock, () => Date.now)'
const WITHOUT_INTEGRATION = 'provide(Dependency.logIntegration, () => ({ start: () => {} }))'

/** The median time of a token, in milliseconds, over some seconds. */
const tokenTime =
  (one: Service): Side<number> =>
  async () =>
    quantile(await load(one.port, applicationToken(one), { requests: 6_000, connections: 4 }), 0.5)

/** Reads how many entries the published checkpoint covers. */
const coveredBy = (url: string, token: string) => {
  const { send } = httpClient(url)
  return async (): Promise<number> => {
    const { status, body } = await send({ method: 'GET', path: '/api/v1/log/checkpoint', token })
    return status === 200 ? Number(String(body).split('\n')[1]) : 0
  }
}

/** The seconds from a commit until a checkpoint covers it, of entries under load, and the entries per second. */
const lagUnderLoad = async (
  one: Service,
  token: string,
): Promise<Readonly<{ lags: Array<number>; rate: number }>> => {
  const covered = coveredBy(`http://127.0.0.1:${one.port}`, token)
  const begin = await covered()
  const committed: Array<Readonly<{ at: number; entries: number }>> = []
  const lags: Array<number> = []
  const requests = 20_000
  let sent = 0
  const began = performance.now()
  const next = applicationToken(one)
  const loaded = load(
    one.port,
    (index) => {
      // Each request follows a response, except the first of each connection.
      sent += 1
      const entries = begin + sent - CONNECTIONS
      if (sent % 100 === 0) committed.push({ at: performance.now(), entries })
      return next(index)
    },
    { requests, connections: CONNECTIONS },
  ).then(() => (performance.now() - began) / 1000)
  let seconds: number | undefined
  void loaded.then((took) => {
    seconds = took
  })
  while (seconds === undefined || committed.length > 0) {
    await passes(20)
    const size = await covered()
    while (committed[0] !== undefined && committed[0].entries <= size)
      lags.push((performance.now() - (committed.shift()?.at ?? 0)) / 1000)
  }
  return { lags, rate: requests / seconds }
}

const CONNECTIONS = 64

export const HISTORY_ROWS: ReadonlyArray<Row> = [
  {
    name: 'log-integration',
    what: 'CPU time to add an entry to the tree of the log, against a limit',
    measure: async ({ folder, rounds }) => {
      const file = fileOf(prepare(OWN_TREE, folder, SETTINGS))
      execFileSync(process.execPath, [scriptAt('fill-store.js'), file, String(ENTRIES)])
      const { ours } = await inRounds({ ours: integrationOf(file) }, rounds)
      const totals = summarize(ours.map(totalOf))
      return [
        {
          title: 'CPU time to add an entry to the tree of the log',
          value: totals,
          unit: 'µs',
          aim: { better: 'lower', target: 10, floor: 10 },
          details: `${ENTRIES} entries, SQLite`,
          cpu: { ours: costText(ours) },
          ceilingSpread: spreadOf(totals),
        },
      ]
    },
  },
  {
    name: 'token-beside-tree',
    what: 'application token while the tree of the log grows, beside one without a tree',
    measure: async (bench) => {
      const [withTree, without] = [
        await withParts(bench, THE_SAME_CLOCK),
        await withParts(bench, WITHOUT_INTEGRATION),
      ]
      const times = await inRounds({ with: tokenTime(withTree), without: tokenTime(without) }, bench.rounds)
      const median = (all: ReadonlyArray<number>) => numberOf(summarize(all).median)
      return [
        {
          title: 'median time of a token while the tree of the log grows / without a tree',
          value: summarize(ratios(times.with, times.without)),
          aim: { better: 'lower', target: 1.02, floor: 1.02 },
          details: `with ${median(times.with)} ms, without ${median(times.without)} ms`,
          ceilingSpread: spreadOf(summarize(times.without)),
        },
      ]
    },
  },
  {
    name: 'checkpoint-lag',
    what: 'time until a checkpoint covers an entry of the log, against a limit',
    measure: async (bench) => {
      const prepared = prepare(OWN_TREE, bench.folder, SETTINGS)
      const one = await bench.keep(serve(prepared))
      const { send } = httpClient(`http://127.0.0.1:${one.port}`)
      const issued = await send({ method: 'POST', path: TOKEN_PATH, body: prepared.keys })
      const all: Array<number> = []
      const rates: Array<number> = []
      for (let round = 0; round < bench.rounds; round += 1) {
        const { lags, rate } = await lagUnderLoad(one, issued.body.token)
        all.push(...lags)
        rates.push(rate)
      }
      return [
        {
          title: 'time until a checkpoint covers an entry, p99',
          value: { ...summarize([quantile(all, 0.99)]), count: 1 },
          unit: 's',
          aim: { better: 'lower', target: 2, floor: 2 },
          details: `${numberOf(summarize(rates).median)} entries per second, median ${numberOf(quantile(all, 0.5))} s`,
          ceilingSpread: spreadOf(summarize(rates)),
        },
      ]
    },
  },
]
