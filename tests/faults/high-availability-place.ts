import { expect } from 'chai'
import { processWorkplace, type Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { httpClient } from '../support/http-client.ts'
import { type PatroniCluster, startPatroniCluster, type Way } from '../support/patroni-cluster.ts'
import { ledger } from './ledger.ts'
import { type Load, load } from './load.ts'
import { asking } from './requests.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, type Place, verify } from './stage.ts'

/** Instances of the service on a cluster, one for each way to the primary, and the record of their requests. */
export type ClusterPlace = Readonly<{
  cluster: PatroniCluster
  /** Stops traffic that a failed test left, and waits for a healthy cluster. */
  begin: () => Promise<void>
  /** Running traffic of a dozen connections to all instances. */
  traffic: (mayFail: 'nothing' | 'everything') => Promise<Load>
  /** Resolves when each instance has made a change, after this call. */
  allChange: () => Promise<void>
  /** Resolves when each instance has answered `/readyz` with this status, after this call. */
  allReady: (status: 200 | 503) => Promise<void>
  /** Stops the traffic. Checks that acknowledged changes exist once, refused ones do not, and all instances still run. */
  verifyAll: (traffic: Load) => Promise<void>
  /** Stops the instances, which must not have crashed, and the cluster. */
  remove: () => Promise<void>
}>

const WAYS = ['hosts', 'haproxy', 'pgbouncer'] as const satisfies ReadonlyArray<Way>
const PEOPLE = 5
const PATIENCE = { patienceMs: 60_000, lookMs: 50 }

export const clusterPlace = async (): Promise<ClusterPlace> => {
  const cluster = await startPatroniCluster()
  const place = processWorkplace()
  const settings = { ...ENVIRONMENT, ...cluster.settings('haproxy') }
  const portcullis: Place['portcullis'] = (words, options = {}) =>
    place.portcullis(words, { ...options, environment: { ...settings, ...options.environment } })
  const instances: Array<Serving> = []
  const remove = (): void => {
    place.remove()
    cluster.remove()
  }
  const book = ledger()
  const seed = seedOfThisRun()
  const dice = chance(seed)
  try {
    const everybody = await cast({ portcullis }, book, PEOPLE)
    for (const way of WAYS)
      instances.push(
        await place.serve('serve', { ...ENVIRONMENT, LOG_LEVEL: 'warn', ...cluster.settings(way) }),
      )
    const ports = instances.map(({ port }) => port)
    const [first = 0, ...others] = ports

    /** How often each instance named each cause of a failure. */
    const causes = (): string =>
      instances.map((each, at) => `${WAYS[at]}: ${JSON.stringify(causesIn(each.logged()))}`).join('\n')

    let running: Load | undefined
    return {
      cluster,
      begin: async () => {
        await running?.stop()
        await cluster.settled()
      },
      traffic: async (mayFail) => {
        running = load([first, ...others], everybody, book, dice, mayFail)
        await running.flowing
        return running
      },
      allChange: async () => {
        for (const port of ports) {
          const ask = asking(port, everybody, book)
          const isDone = async () => ((await ask.applicationToken()).status === 200 ? true : undefined)
          await eventually('a change', isDone, PATIENCE)
          ask.close()
        }
      },
      allReady: async (status) => {
        const answers = async (port: number): Promise<void> => {
          const { send, close } = httpClient(`http://127.0.0.1:${port}`)
          const isSo = async () =>
            (await send({ method: 'GET', path: '/readyz' })).status === status ? true : undefined
          await eventually(`/readyz answers ${status}`, isSo, PATIENCE)
          await close()
        }
        await Promise.all(ports.map(answers))
      },
      verifyAll: async (traffic) => {
        await traffic.stop()
        for (const port of ports) await verify({ portcullis }, port, everybody, book)
        const counts = JSON.stringify(countsOf(traffic.replies.map(({ fate, status = fate }) => `${status}`)))
        const lost = traffic.replies.filter(({ fate }) => fate !== 'answered')
        const problems = [...lost, ...book.problems.splice(0)]
        expect(problems.slice(0, MOST_SHOWN), `FAULT_SEED=${seed}, ${counts}\n${causes()}\n`).to.deep.equal(
          [],
        )
        await cluster.settled() // a new primary names its synchronous standby a moment later
        expect(await portcullis('events verify')).to.include({ status: 0, err: '' })
        await agree({ portcullis })
      },
      remove: async () => {
        try {
          const statuses = await Promise.all(instances.map((instance) => instance.end()))
          expect(statuses).to.deep.equal(instances.map(() => 0))
        } finally {
          remove()
        }
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

const countsOf = (texts: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1
  return counts
}

const causesIn = (log: string): Readonly<Record<string, number>> =>
  countsOf(
    log
      .trim()
      .split('\n')
      .flatMap((line) => /"cause":"([^"]+)"/.exec(line)?.[1] ?? []),
  )

const MOST_SHOWN = 20
