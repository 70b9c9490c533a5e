import { setTimeout as pause } from 'node:timers/promises'
import { type Row, service } from '../bench-run.ts'
import { inRounds, ratios } from '../compare.ts'
import { load } from '../load.ts'
import { leaveToServers } from '../machine.ts'
import { MANY_ATTEMPTS } from '../portcullis.ts'
import { numberOf } from '../report.ts'
import { profile, signInText } from '../requests.ts'
import { quantile, spreadOf, summarize } from '../statistics.ts'
import { keepInFlight } from './sign-in-load.ts'

/** The latency of profiles while passwords are hashed. The service may use every core, as in production. */
const SIGN_INS = 16
const SIZE = { requests: 2_000, connections: 1 }

export const LATENCY_ROWS: ReadonlyArray<Row> = [
  {
    name: 'latency',
    measure: async (bench) => {
      leaveToServers(0)
      const ours = await service(bench, {
        place: 'anywhere',
        settings: { ...MANY_ATTEMPTS, HASHING_WAIT: '600' },
      })
      const p99 = async () => quantile(await load(ours.port, profile(ours), SIZE), 0.99)
      const { idle, beside } = await inRounds(
        {
          idle: p99,
          beside: async () => {
            const signIns = keepInFlight(ours.port, signInText(ours), SIGN_INS)
            await pause(ARRIVAL_MS)
            const measured = await p99()
            signIns.stop()
            await pause(HASH_MS) // a hash that runs is not stopped
            return measured
          },
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
        },
      ]
    },
  },
]

/** Until all sign-ins have arrived. */
const ARRIVAL_MS = 100
const HASH_MS = 1_000
