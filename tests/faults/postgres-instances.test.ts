import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import { processWorkplace, type Serving } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { postgres } from '../support/postgres.ts'
import type { PostgresClient } from '../support/postgres-client.ts'
import { ledger } from './ledger.ts'
import { load } from './load.ts'
import { settle } from './oracle.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, type Place, prove, readOn } from './stage.ts'

const MILLISECONDS = Number(process.env.FAULT_SECONDS ?? 15) * 1000

if (postgres !== undefined) {
  const server = postgres

  for (const many of [2, 4]) {
    describe(`${many} instances on one PostgreSQL under load that are killed one after the other`, () => {
      const { portcullis, serve, remove } = processWorkplace()
      let database: Awaited<ReturnType<PostgresClient['newDatabase']>>
      before(async () => {
        database = await server.newDatabase()
      })
      after(async () => {
        remove()
        await database.drop()
      })

      it('keep all acknowledged changes exactly once, and act as one service', async () => {
        const seed = seedOfThisRun()
        const dice = chance(seed)
        const book = ledger()
        const environment = { ...ENVIRONMENT, DATABASE_URL: database.url }
        const place: Place = {
          portcullis: (words, options) =>
            portcullis(words, { ...options, environment: { ...environment, ...options?.environment } }),
        }
        const start = (): Promise<Serving> => serve('serve', environment)
        const [first, ...others] = await Promise.all(Array.from({ length: many }, start))
        if (first === undefined) throw new Error('nobody serves')
        let running: readonly [Serving, ...ReadonlyArray<Serving>] = [first, ...others]
        const everybody = await cast(place, book, 8)

        const until = performance.now() + MILLISECONDS
        for (let cycle = 1; cycle === 1 || performance.now() < until; cycle += 1) {
          const where = `cycle ${cycle}, FAULT_SEED=${seed}`
          const [one, ...more] = running
          const traffic = load([one.port, ...more.map(({ port }) => port)], everybody, book, dice)
          await traffic.flowing
          await passes(dice.below(500) + 100)
          const victim = running[dice.below(running.length)] ?? one
          await victim.end('SIGKILL')
          const before = traffic.replies.length
          const replacement = await start() // while the others continue
          await traffic.stop()
          const after = traffic.replies.slice(before).filter(({ fate }) => fate === 'answered')
          expect(after.length, `responses of the others, ${where}`).to.be.above(0)

          const next = running.map((each) => (each === victim ? replacement : each))
          running = [next[0] ?? replacement, ...next.slice(1)]
          await settled(server, database.url)
          await readOn(place, book)
          settle(book, everybody.people)
          await prove(running[dice.below(running.length)]?.port ?? replacement.port, everybody, book)
          expect(book.problems, where).to.deep.equal([])
        }

        for (const instance of running)
          expect([await instance.end(), instance.logged()]).to.deep.equal([0, ''])
        await readOn(place, book)
        expect(book.problems, `at the end, FAULT_SEED=${seed}`).to.deep.equal([])
        await agree(place)
      }).timeout(MILLISECONDS + 120_000)
    })
  }
}

/** The server may still execute a statement of a killed process until it notices the closed connection. */
const settled = (server: PostgresClient, url: string): Promise<true> =>
  eventually('no backend of the killed process', async () => {
    const rows = await server.ask(`SELECT 1 FROM pg_stat_activity
      WHERE datname = '${new URL(url).pathname.slice(1)}' AND state <> 'idle'`)
    return rows.length === 0 ? true : undefined
  })
