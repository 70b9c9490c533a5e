import { setTimeout as pause } from 'node:timers/promises'
import { type Row, service } from '../bench-run.ts'
import { inRounds, ratios } from '../compare.ts'
import { load } from '../load.ts'
import { leaveToServers } from '../machine.ts'
import { MANY_ATTEMPTS, type Service } from '../portcullis.ts'
import { numberOf } from '../report.ts'
import { profile, signInText } from '../requests.ts'
import { quantile, spreadOf, summarize } from '../statistics.ts'
import { keepInFlight } from './sign-in-load.ts'

/** The latency of profiles while passwords are hashed. The service may use every core, as in production. */
const SIGN_INS = 16
/** About as long as ten hashes on one core, so that the result does not depend on a single one. */
const SIZE = { requests: 15_000, connections: 1 }

const p99Of = async (one: Service): Promise<number> =>
  quantile(await load(one.port, profile(one), SIZE), 0.99)

const p99BesideSignIns = async (one: Service): Promise<number> => {
  const signIns = keepInFlight(one.port, signInText(one), SIGN_INS)
  await pause(ARRIVAL_MS)
  const measured = await p99Of(one)
  signIns.stop()
  await pause(HASH_MS) // a hash that runs is not stopped
  return measured
}

export const LATENCY_ROWS: ReadonlyArray<Row> = [
  {
    name: 'latency',
    what: 'p99 of profiles while passwords are hashed, beside that of an idle service',
    measure: async (bench) => {
      leaveToServers(0)
      const started = (tree?: string) =>
        service(bench, {
          ...(tree === undefined ? {} : { tree }),
          place: 'anywhere',
          settings: { ...MANY_ATTEMPTS, HASHING_WAIT: '600' },
        })
      const ours = await started()
      const other = bench.baseTree === undefined ? undefined : await started(bench.baseTree)
      const {
        idle = [],
        beside = [],
        base,
      } = await inRounds<string, number>(
        {
          idle: () => p99Of(ours),
          beside: () => p99BesideSignIns(ours),
          ...(other === undefined ? {} : { base: () => p99BesideSignIns(other) }),
        },
        bench.rounds,
      )
      return [
        {
          title: `profile p99 beside ${SIGN_INS} sign-ins / idle`,
          value: summarize(ratios(beside, idle)),
          aim: { better: 'lower', target: 2, floor: 3 },
          details: `${numberOf(quantile(beside, 0.5))} ms and ${numberOf(quantile(idle, 0.5))} ms`,
          ceilingSpread: spreadOf(summarize(idle)),
          againstBase: base === undefined ? undefined : summarize(ratios(beside, base)),
        },
      ]
    },
  },
]

/** Until all sign-ins have arrived. */
const ARRIVAL_MS = 100
const HASH_MS = 1_000
