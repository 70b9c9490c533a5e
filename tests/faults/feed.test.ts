import { join } from 'node:path'
import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import type { ReaderKeys } from '../examples/events-process.ts'
import { processWorkplace, type Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { postgres } from '../support/postgres.ts'
import { effectsIn, type Seen, startConsumer } from './feed-consumer-process.ts'
import { ledger } from './ledger.ts'
import { load } from './load.ts'
import { settle } from './oracle.ts'
import { type Chance, chance, seedOfThisRun } from './seed.ts'
import { cast, ENVIRONMENT, entriesAfter, type Place, readOn } from './stage.ts'

const CYCLES = Math.ceil(Number(process.env.FAULT_CYCLES ?? 100) / 5)
const MILLISECONDS = Number(process.env.FAULT_SECONDS ?? 15) * 1000

/** An application that may read the feed. */
const newReader = async (place: Place): Promise<ReaderKeys> => {
  const { out, err } = await place.portcullis('application create --name reader --scope events:read --json')
  expect(err).to.equal('')
  return JSON.parse(out)
}

const logOf = async (place: Place): Promise<ReadonlyArray<Seen>> =>
  (await entriesAfter(place, 0)).map(({ position, id, type }) => ({ position, id, type }))

describe('a consumer of the event feed that is killed, of a server that is killed', () => {
  const place = processWorkplace()
  after(place.remove)

  const effect = join(place.folder, 'effect.db')
  const effects = () => effectsIn(effect)

  it('neither skips nor repeats an entry', async () => {
    const seed = seedOfThisRun()
    const dice = chance(seed)
    const book = ledger()
    const everybody = await cast(place, book)
    const keys = await newReader(place)
    const stopPoints = new Set<number>()
    for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
      const [server] = await Promise.all([place.serve('serve', ENVIRONMENT), readOn(place, book)])
      settle(book, everybody.people)
      const traffic = load(server.port, everybody, book, dice)
      await traffic.flowing
      for (let kill = 0; kill < 3; kill += 1) {
        const killConsumer = startConsumer(server.url, keys, effect)
        await passes(dice.below(600) + 50)
        if (kill === 2) await server.end('SIGKILL')
        await killConsumer()
      }
      await traffic.over
      stopPoints.add(effects().entries.length)
    }
    const server = await place.serve('serve', ENVIRONMENT)
    const killConsumer = startConsumer(server.url, keys, effect)
    const log = await logOf(place)
    await eventually('the end of the log', async () =>
      effects().entries.length >= log.length ? true : undefined,
    )
    await killConsumer()
    expect(await server.end()).to.equal(0)
    const { entries, restarts } = effects()
    expect(entries.slice(0, log.length), `FAULT_SEED=${seed}`).to.deep.equal(log)
    expect(entries.map(({ position }) => position)).to.deep.equal(entries.map((_, index) => index + 1))
    expect(restarts).to.equal(1) // the first page
    expect(stopPoints.size, 'the consumer made progress').to.be.above(CYCLES / 2)
  }).timeout(CYCLES * 10_000 + 60_000)
})

/** Follows the feed in this process, at a random instance each time. It records what is not as it should be. */
const follow = (ports: () => ReadonlyArray<number>, token: string, dice: Chance) => {
  const seen: Array<Seen> = []
  const problems: Array<string> = []
  let next = '/api/v1/events?limit=50&wait=1'
  let isStopped = false

  const readPage = async (): Promise<void> => {
    const url = `http://127.0.0.1:${dice.of(ports())}${next}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    const body = await response.json()
    if (response.status === 503) return
    if (response.status !== 200) {
      problems.push(`${next} was answered ${response.status}: ${JSON.stringify(body)}`)
      return
    }
    for (const { data } of body as ReadonlyArray<{ data: Seen }>) {
      if (data.position !== seen.length + 1) problems.push(`${data.position} came after ${seen.length}`)
      seen.push({ position: data.position, id: data.id, type: data.type })
    }
    next = /<([^>]+)>/.exec(response.headers.get('link') ?? '')?.[1] ?? next
  }

  const over = (async () => {
    while (!isStopped) await readPage().catch(() => passes(10)) // the instance was killed
  })()
  return {
    seen,
    problems,
    stop: () => {
      isStopped = true
      return over
    },
  }
}

if (postgres !== undefined) {
  const server = postgres

  describe('the event feed over three instances on one PostgreSQL that are killed', () => {
    const { portcullis, serve, remove } = processWorkplace()
    let database: Awaited<ReturnType<typeof server.newDatabase>>
    before(async () => {
      database = await server.newDatabase()
    })
    after(async () => {
      remove()
      await database.drop()
    })

    it('has every position once, in order', async () => {
      const seed = seedOfThisRun()
      const dice = chance(seed)
      const book = ledger()
      const environment = { ...ENVIRONMENT, DATABASE_URL: database.url }
      const place: Place = {
        portcullis: (words, options) =>
          portcullis(words, { ...options, environment: { ...environment, ...options?.environment } }),
      }
      const start = (): Promise<Serving> => serve('serve', environment)
      let running = await Promise.all([start(), start(), start()])
      const everybody = await cast(place, book, 8)
      const { public_api_key, private_api_key } = await newReader(place)
      const issued = await fetch(`${running[0]?.url}/api/v1/auth/application/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ public_api_key, private_api_key }),
      })
      const { token } = (await issued.json()) as { token: string }
      const ports = () => running.map(({ port }) => port)
      const consumers = Array.from({ length: 3 }, () => follow(ports, token, dice))

      const until = performance.now() + MILLISECONDS
      for (let cycle = 1; cycle === 1 || performance.now() < until; cycle += 1) {
        const [one, ...others] = ports()
        const traffic = load([one ?? 0, ...others], everybody, book, dice)
        await traffic.flowing
        await passes(dice.below(500) + 100)
        const victim = dice.below(running.length)
        await running[victim]?.end('SIGKILL')
        const replacement = await start()
        await traffic.stop()
        running = running.map((each, index) => (index === victim ? replacement : each)) as typeof running
        await readOn(place, book)
        settle(book, everybody.people)
      }
      const log = await logOf(place)
      for (const [index, { seen, stop, problems }] of consumers.entries()) {
        await eventually(`the end of the log at ${index}`, async () =>
          seen.length >= log.length ? true : undefined,
        )
        await stop()
        expect(problems, `FAULT_SEED=${seed}`).to.deep.equal([])
        expect(seen.slice(0, log.length), `FAULT_SEED=${seed}`).to.deep.equal(log)
      }
      await Promise.all(running.map((each) => each.end()))
    }).timeout(MILLISECONDS + 120_000)
  })
}
