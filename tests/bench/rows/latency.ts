import { execFileSync } from 'node:child_process'
import Database from 'better-sqlite3'
import { type Bench, OWN_TREE, type Row, scriptAt } from '../bench-run.ts'
import { inRounds, ratios, type Side } from '../compare.ts'
import { leaveToServers } from '../machine.ts'
import { fileOf, MANY_ATTEMPTS, type Prepared, prepare, runCommand, serve } from '../portcullis.ts'
import { type Measured, numberOf } from '../report.ts'
import { profileText } from '../requests.ts'
import { quantile, spreadOf, summarize } from '../statistics.ts'
import { IMPORTS, type LargeService, NOTHING, prepareImports, WORKS, type Work } from './heavy-work.ts'
import { postgresServer } from './postgres.ts'
import { timesAtRate } from './request-load.ts'

/**
 * The latency of profiles beside heavy work. Requests arrive at a fixed rate: each one that arrives while the service is blocked counts.
 *
 * Everything may use every core, as in production. The process of a command gets the CPU time that no other program wants, because requests
 * that wait for a core say nothing about the service.
 */
const RATE = { perSecond: 500, ms: 2_000 }
const USERS = 100_000
const SETTINGS = { ...MANY_ATTEMPTS, HASHING_WAIT: '600', EVENT_LOG_KEY: `2026:${'e'.repeat(64)}` }

const preparedLarge = (tree: string, { folder }: Bench): Prepared => {
  const prepared = prepare(tree, folder, SETTINGS)
  execFileSync(process.execPath, [scriptAt('fill-store.js'), fileOf(prepared), String(USERS)])
  return prepared
}

type Starting = (bench: Bench, tree: string) => Promise<LargeService>

const onSqlite: Starting = async (bench, tree) => {
  const prepared = preparedLarge(tree, bench)
  const one = await bench.keep(serve(prepared, 'anywhere'))
  const db = new Database(fileOf(prepared))
  await bench.keep(Promise.resolve({ stop: async () => void db.close() }))
  return {
    ...one,
    removeTree: async () => void db.exec(REMOVE_TREE.SQLite),
    hasWholeTree: async () => db.prepare(HAS_WHOLE_TREE.SQLite).pluck().get() === 1,
  }
}

const onPostgres: Starting = async (bench, tree) => {
  const server = await postgresServer(bench)
  const { url } = await server.newDatabase()
  const prepared = preparedLarge(tree, bench)
  runCommand(prepared, ['store', 'copy', url])
  const environment = { ...prepared.environment, DATABASE_URL: url }
  const one = await bench.keep(serve({ ...prepared, environment }, 'anywhere'))
  const ask = (sql: string) => server.ask(sql, new URL(url).pathname.slice(1))
  return {
    ...one,
    removeTree: async () => void (await ask(REMOVE_TREE.PostgreSQL)),
    hasWholeTree: async () => (await ask(HAS_WHOLE_TREE.PostgreSQL))[0]?.whole === true,
  }
}

/** The log gets a new epoch, because a tree of the same epoch may not shrink. */
const REMOVE_TREE = {
  SQLite: `BEGIN IMMEDIATE; DELETE FROM tree; DELETE FROM tiles;
    UPDATE log_epoch SET epoch = lower(hex(randomblob(4))); COMMIT`,
  PostgreSQL: `DELETE FROM portcullis.tree; DELETE FROM portcullis.tiles;
    UPDATE portcullis.head SET epoch = substr(md5(random()::text), 1, 8)`,
}

const HAS_WHOLE_TREE = {
  SQLite: 'SELECT size = (SELECT max(position) FROM log) FROM tree',
  PostgreSQL: 'SELECT size = position AS whole FROM portcullis.tree CROSS JOIN portcullis.head',
}

const p99Beside =
  (one: LargeService, work: Work): Side<number> =>
  async () => {
    const begun = await work(one)
    const times = await timesAtRate(one.port, profileText(one), RATE)
    await begun.stop()
    return quantile(times, 0.99)
  }

/** Measures the works in turns with an idle service, one line each. */
const linesOf = async (
  works: Readonly<Record<string, Work>>,
  store: string,
  { ours, base, rounds }: Readonly<{ ours: LargeService; base: LargeService | undefined; rounds: number }>,
): Promise<ReadonlyArray<Measured>> => {
  const sides = Object.entries(works).flatMap(([title, work]) => [
    [title, p99Beside(ours, work)] as const,
    ...(base === undefined ? [] : [[`base: ${title}`, p99Beside(base, work)] as const]),
  ])
  const { idle = [], ...times } = await inRounds<string, number>(
    { idle: p99Beside(ours, NOTHING), ...Object.fromEntries(sides) },
    rounds,
  )
  return Object.keys(works).map((title) => {
    const [beside = [], besideBase] = [times[title], times[`base: ${title}`]]
    return {
      title: `profile p99 beside ${title} / idle, ${store}`,
      value: summarize(ratios(beside, idle)),
      aim: { better: 'lower', target: 2, floor: 3 },
      details: `${numberOf(quantile(beside, 0.5))} ms and ${numberOf(quantile(idle, 0.5))} ms`,
      ceilingSpread: spreadOf(summarize(idle)),
      againstBase: besideBase === undefined ? undefined : summarize(ratios(beside, besideBase)),
    }
  })
}

const latencyOn = (name: string, store: string, start: Starting): Row => ({
  name,
  what: `p99 of profiles beside sign-ins, the tree of the log, exports and imports, beside idle, ${store}`,
  measure: async (bench) => {
    leaveToServers(0)
    const ours = await start(bench, OWN_TREE)
    const base = bench.baseTree === undefined ? undefined : await start(bench, bench.baseTree)
    for (const one of [ours, base]) if (one !== undefined) prepareImports(one)
    const services = { ours, base, rounds: bench.rounds }
    // An import makes the log larger, so it comes last.
    return [...(await linesOf(WORKS, store, services)), ...(await linesOf(IMPORTS, store, services))]
  },
})

export const LATENCY_ROWS: ReadonlyArray<Row> = [
  latencyOn('latency', 'SQLite', onSqlite),
  latencyOn('latency-postgres', 'PostgreSQL', onPostgres),
]
