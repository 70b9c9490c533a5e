import { type Row, service } from '../bench-run.ts'
import { costOf, costText, inRounds, ratios, totalOf } from '../compare.ts'
import { idleConnections } from '../load.ts'
import type { Service } from '../portcullis.ts'
import { profile, profileText } from '../requests.ts'
import { spreadOf, summarize } from '../statistics.ts'

/** What idle connections cost: memory, and CPU time of the requests on other connections. */
const IDLE = 1_000
const SIZE = { requests: 8_000, connections: 64 }

/** Memory that grows with the first connections is not due to their number, so more are added to these. */
const kilobytesPerConnection = async (ours: Service): Promise<number> => {
  const residentBytes = async () => (await ours.usage('after collection')).rss
  const first = await idleConnections(ours.port, profileText(ours), IDLE)
  const before = await residentBytes()
  const more = await idleConnections(ours.port, profileText(ours), 2 * IDLE)
  const after = await residentBytes()
  first.close()
  more.close()
  return (after - before) / (2 * IDLE) / 1024
}

export const CONNECTION_ROWS: ReadonlyArray<Row> = [
  {
    name: 'idle-connections',
    what: 'profile with 1,000 idle connections, beside none; memory of a connection',
    measure: async (bench) => {
      const ours = await service(bench)
      const kilobytes = await kilobytesPerConnection(ours)
      const cost = costOf(ours, profile(ours), SIZE)
      const { alone, beside } = await inRounds(
        {
          alone: cost,
          beside: async () => {
            const idle = await idleConnections(ours.port, profileText(ours), IDLE)
            const measured = await cost()
            idle.close()
            return measured
          },
        },
        bench.rounds,
      )
      const aloneMicroseconds = alone.map(totalOf)
      return [
        {
          title: `profile beside ${IDLE} idle connections / alone`,
          value: summarize(ratios(beside.map(totalOf), aloneMicroseconds)),
          aim: { better: 'lower', target: 1.3, floor: 1.3 },
          details: `${costText(beside)} and ${costText(alone)}`,
          cpu: { ours: costText(beside), ceiling: costText(alone) },
          ceilingSpread: spreadOf(summarize(aloneMicroseconds)),
        },
        {
          title: 'memory of an idle connection',
          value: summarize([kilobytes]),
          unit: 'kB',
          details: 'resident memory after garbage collection, without the buffers of the kernel',
          ceilingSpread: 0,
        },
      ]
    },
  },
]
