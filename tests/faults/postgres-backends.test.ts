import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import type { Serving } from '../support/command.ts'
import { changesSucceed, type PostgresPlace, postgresPlace } from './postgres-place.ts'
import { chance, seedOfThisRun } from './seed.ts'

const TIMES = 40

/** The connections of the service that the test ends. */
const WHICH: ReadonlyArray<readonly [string, string]> = [
  ['all', 'true'],
  ['any', 'random() < 0.4'],
  ['those inside a transaction', 'xact_start IS NOT NULL'],
  ['idle ones', "state = 'idle'"],
]

describe('a PostgreSQL that repeatedly ends connections under load', () => {
  let place: PostgresPlace
  let server: Serving
  before(async () => {
    place = await postgresPlace()
    server = await place.serve({ DATABASE_DIRECT_URL: place.url })
  })
  after(() => place.remove())

  for (const [which, condition] of WHICH)
    it(`(${which}) causes no loss, and no refused change is executed`, async () => {
      const seed = seedOfThisRun()
      const dice = chance(seed)
      const traffic = await place.traffic(server.port)
      await changesSucceed(traffic)
      let ended = 0
      for (let time = 1; time <= TIMES; time += 1) {
        const rows = await place.postgres.ask(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'portcullis%' AND ${condition}`,
        )
        ended += rows.length
        await passes(dice.below(50))
      }
      await changesSucceed(traffic)
      await traffic.stop()
      expect(ended, `FAULT_SEED=${seed}`).to.be.greaterThan(TIMES / 6)
      expect(traffic.replies.filter(({ fate }) => fate !== 'answered')).to.deep.equal([])
      await place.verifyAll(server.port)
    })

  it('leaves a service that stops normally', async () => {
    expect(await server.end('SIGTERM')).to.equal(0)
  })
})
