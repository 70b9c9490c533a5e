import { expect } from 'chai'
import { processWorkplace, type Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { httpClient } from '../support/http-client.ts'
import { type PatroniCluster, startPatroniCluster, type Way } from '../support/patroni-cluster.ts'
import { ledger } from './ledger.ts'
import { type Load, load } from './load.ts'
import { asking } from './requests.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, type Place, prove, verify } from './stage.ts'

/** Instances of the service on a cluster, one for each way to the primary, and the record of their requests. */
export type ClusterPlace = Readonly<{
  cluster: PatroniCluster
  /** Waits for a healthy cluster. */
  begin: () => Promise<void>
  /** Running traffic of a dozen connections to all instances. Each request may get a 503. */
  traffic: () => Promise<Load>
  /** Resolves when each instance has made a change, after this call. */
  allChange: () => Promise<void>
  /** Resolves when each instance has answered `/readyz` with this status, after this call. */
  allReady: (status: 200 | 503) => Promise<void>
  /**
   * Stops the traffic and the instances, which must not have crashed. Checks that acknowledged changes exist once, and refused ones do
   * not. Starts new instances.
   */
  verifyAll: (...traffics: ReadonlyArray<Load>) => Promise<void>
  /** What a failed test says: the replies, why instances refused, and what Patroni did. */
  report: (...traffics: ReadonlyArray<Load>) => string
  /** Kills the instances and the cluster. */
  remove: () => void
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
  const remove = (): void => {
    place.remove()
    cluster.remove()
  }
  const book = ledger()
  const seed = seedOfThisRun()
  const dice = chance(seed)
  try {
    const everybody = await cast({ portcullis }, book, PEOPLE)
    const start = (): Promise<ReadonlyArray<Serving>> =>
      Promise.all(
        WAYS.map((way) =>
          place.serve('serve', { ...ENVIRONMENT, LOG_LEVEL: 'warn', ...cluster.settings(way) }),
        ),
      )
    let instances = await start()
    const ports = () => instances.map(({ port }) => port)

    /** How often each instance named each cause of a failure. */
    const causes = (): string =>
      instances.map((each, at) => `${WAYS[at]}: ${JSON.stringify(causesIn(each.logged()))}`).join('\n')

    /** What an instance answers now about the users whose changes were all answered. */
    const proveOn = async (port: number): Promise<void> => {
      const people = everybody.people.filter(({ undecided }) => undecided.length === 0)
      await prove(port, { ...everybody, people }, book)
    }

    /**
     * An instance goes on with a commit without an answer, also after it has answered 503 with an unknown outcome. Only its end,
     * and that of its connections, makes the outcome final.
     */
    const endAll = async (): Promise<void> => {
      const statuses = await Promise.all(instances.map((instance) => instance.end()))
      expect(statuses).to.deep.equal(instances.map(() => 0))
      await cluster.settled()
      await cluster.endConnections()
    }

    const report: ClusterPlace['report'] = (...traffics) => {
      const replies = traffics.flatMap((traffic) => traffic.replies)
      const counts = JSON.stringify(countsOf(replies.map(({ fate, status = fate }) => `${status}`)))
      const turns =
        cluster.log().match(/^\d{4}-(?!.*no action).*(?:promot|demot|session lock|following).*/gm) ?? []
      return [`FAULT_SEED=${seed}, ${counts}`, causes(), ...turns.sort().slice(-MOST_SHOWN)].join('\n')
    }

    return {
      cluster,
      report,
      begin: async () => void (await cluster.settled()),
      traffic: async () => {
        const [first = 0, ...others] = ports()
        const running = load([first, ...others], everybody, book, dice, 'everything')
        await running.flowing
        return running
      },
      allChange: async () => {
        for (const port of ports()) {
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
        await Promise.all(ports().map(answers))
      },
      verifyAll: async (...traffics) => {
        for (const traffic of traffics) await traffic.stop()
        const replies = traffics.flatMap((traffic) => traffic.replies)
        for (const port of ports()) await proveOn(port)
        const said = report(...traffics)
        await endAll()
        instances = await start()
        const [port = 0] = ports()
        await verify({ portcullis }, port, everybody, book)
        const lost = replies.filter(({ fate }) => fate !== 'answered')
        const problems = [...lost, ...book.problems]
        expect(problems.slice(0, MOST_SHOWN), `${said}\n`).to.deep.equal([])
        expect(await portcullis('events verify')).to.include({ status: 0, err: '' })
        await agree({ portcullis })
      },
      remove,
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
