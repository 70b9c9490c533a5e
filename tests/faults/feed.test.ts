import { join } from 'node:path'
import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import type { ReaderKeys } from '../examples/events-process.ts'
import { processWorkplace } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { postgres } from '../support/postgres.ts'
import { effectsIn, type Seen, startConsumer } from './feed-consumer-process.ts'
import { ledger } from './ledger.ts'
import { load } from './load.ts'
import { settle } from './oracle.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { cast, ENVIRONMENT, entriesAfter, type Place, readOn } from './stage.ts'

const CYCLES = Math.ceil(Number(process.env.FAULT_CYCLES ?? 100) / 5)
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

if (postgres !== undefined) {
  const _server = postgres
}
