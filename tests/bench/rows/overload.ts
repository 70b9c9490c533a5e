import { setTimeout as pause } from 'node:timers/promises'
import { type Row, service } from '../bench-run.ts'
import { inRounds, ratios } from '../compare.ts'
import { leaveToServers } from '../machine.ts'
import { MANY_ATTEMPTS } from '../portcullis.ts'
import { numberOf } from '../report.ts'
import { signInText } from '../requests.ts'
import { quantile, spreadOf, summarize } from '../statistics.ts'
import { atRate, keepInFlight, type RequestLoad } from './request-load.ts'

/** Ten times as many sign-ins as the service can hash: how many succeed, and how soon the others are refused. */
const TIMES = 10
const IN_FLIGHT = 6
const ROUNDS_AT_MOST = 3

/** Successes per second, between the first and the last one. */
const rateOf = ({ successes }: RequestLoad): number =>
  (1000 * (successes.length - 1)) / ((successes.at(-1) ?? Number.NaN) - (successes[0] ?? Number.NaN))

const during = async (load: RequestLoad): Promise<number> => {
  await pause(MEASURED_MS)
  load.stop()
  await pause(SETTLED_MS)
  return rateOf(load)
}

const MEASURED_MS = 7_000
/** Sign-ins whose client has gone leave the queue; those that run end. */
const SETTLED_MS = 1_000

export const OVERLOAD_ROWS: ReadonlyArray<Row> = [
  {
    name: 'overload',
    what: 'sign-ins at ten times the capacity, beside the best rate',
    measure: async (bench) => {
      leaveToServers(0)
      const ours = await service(bench, { place: 'anywhere', settings: MANY_ATTEMPTS })
      const request = signInText(ours)
      let capacity = 0
      const refusalTimes: Array<number> = []
      const { best, overloaded } = await inRounds(
        {
          best: async () => {
            const rate = await during(keepInFlight(ours.port, request, IN_FLIGHT))
            capacity = Math.max(capacity, rate)
            return rate
          },
          overloaded: async () => {
            const load = atRate(ours.port, request, TIMES * capacity)
            const rate = await during(load)
            refusalTimes.push(...load.refusals)
            return rate
          },
        },
        Math.min(bench.rounds, ROUNDS_AT_MOST),
      )
      const p99 = quantile(refusalTimes, 0.99)
      return [
        {
          title: `sign-ins per second at ${TIMES} × the capacity / best rate`,
          value: summarize(ratios(overloaded, best)),
          aim: { better: 'higher', target: 0.97, floor: 0.97 },
          details: `${numberOf(quantile(overloaded, 0.5))}/s and ${numberOf(quantile(best, 0.5))}/s`,
          ceilingSpread: spreadOf(summarize(best)),
        },
        {
          title: 'p99 of refusals',
          value: summarize([p99]),
          unit: 'ms',
          details: `${refusalTimes.length} refusals, median ${numberOf(quantile(refusalTimes, 0.5))} ms`,
          ceilingSpread: 0,
        },
      ]
    },
  },
]
