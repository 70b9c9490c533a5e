import { startPostgresServer } from '../../support/postgres-server.ts'
import { type Bench, OWN_TREE, type Row } from '../bench-run.ts'
import { costOf, inRounds, ratios, totalOf } from '../compare.ts'
import { load } from '../load.ts'
import { CORE_COUNT, leaveToServers } from '../machine.ts'
import { prepare, type Service, serve } from '../portcullis.ts'
import { logRates } from '../postgres-log.ts'
import type { Measured } from '../report.ts'
import { numberOf } from '../report.ts'
import { profile } from '../requests.ts'
import { quantile, spreadOf, summarize } from '../statistics.ts'

/** The service on a PostgreSQL, which runs where the load runs. */
const SIZE = { requests: 5_000, connections: 64 }

/** A new server, which runs until the row ends. */
export const postgresServer = ({ keep }: Pick<Bench, 'keep'>) =>
  keep(startPostgresServer().then((server) => ({ ...server, stop: server.remove })))

/** An empty database of a new server. */
const postgres = async (bench: Bench) => {
  const { newDatabase } = await postgresServer(bench)
  return { settings: async () => ({ DATABASE_URL: (await newDatabase()).url }) }
}

/** With so many cores, two instances, the load and PostgreSQL each have their own. */
const CORES_FOR_RATES = 4

/**
 * Two instances on one database beside one. With four cores: profiles per second. With fewer, PostgreSQL and the load
 * would take the second instance's core. Then all instances run on the core without the load, and each counts with the
 * profiles that it could serve per second of its own CPU time: alone, and while the other is under load too. Each
 * instance is measured alone, because the second one to serve would otherwise be compared while it still warms up.
 */
const twoInstances = async (bench: Bench): Promise<ReadonlyArray<Measured>> => {
  const areRates = CORE_COUNT >= CORES_FOR_RATES
  leaveToServers(areRates ? 2 : 1)
  const { settings } = await postgres(bench)
  const prepared = prepare(OWN_TREE, bench.folder, await settings())
  const first = await bench.keep(serve(prepared, 0))
  const second = await bench.keep(serve(prepared, areRates ? 1 : 0))
  const perSecond = async (...instances: ReadonlyArray<Service>): Promise<number> => {
    const before = performance.now()
    if (!areRates) {
      const costs = await Promise.all(instances.map((one) => costOf(one, profile(one), SIZE)()))
      return costs.reduce((sum, cost) => sum + 1e6 / totalOf(cost), 0)
    }
    await Promise.all(instances.map((one) => load(one.port, profile(one), SIZE)))
    return (1000 * SIZE.requests * instances.length) / (performance.now() - before)
  }
  const { one, two, other } = await inRounds(
    { one: () => perSecond(first), two: () => perSecond(first, second), other: () => perSecond(second) },
    bench.rounds,
  )
  const alone = one.map((rate, round) => (rate + (other[round] ?? Number.NaN)) / 2)
  const how = areRates ? 'by the clock' : "by the service's own CPU time, without PostgreSQL"
  return [
    {
      title: 'profiles of two instances / of one',
      value: summarize(ratios(two, alone)),
      aim: { better: 'higher', target: 1.7, floor: 1.7 },
      details: `${numberOf(quantile(two, 0.5))}/s and ${numberOf(quantile(alone, 0.5))}/s, ${how}`,
      ceilingSpread: spreadOf(summarize(alone)),
    },
  ]
}

/** How much faster the log accepts events when concurrent changes share transactions. */
const logOfWriters = async (): Promise<ReadonlyArray<Measured>> => {
  const { oneByOne, oneWriter, twoWriters, fourWriters } = await logRates()
  const rates = [
    ['one writer', oneWriter],
    ['two writers', twoWriters],
    ['four writers', fourWriters],
  ] as const
  return rates.map(([writers, rate]) => ({
    title: `log in PostgreSQL: ${writers}, 64 at once each / one at a time`,
    value: summarize([rate / oneByOne]),
    details: `${numberOf(rate)} and ${numberOf(oneByOne)} events/s`,
    ceilingSpread: 0,
  }))
}

export const POSTGRES_ROWS: ReadonlyArray<Row> = [
  { name: 'instances', what: 'profiles of two instances on one database, beside one', measure: twoInstances },
  {
    name: 'postgres-log',
    what: 'events per second in PostgreSQL, 64 at once, beside one at a time',
    measure: logOfWriters,
  },
]
