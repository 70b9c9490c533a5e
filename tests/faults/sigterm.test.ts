import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as passes } from 'node:timers/promises'
import { expect } from 'chai'
import { processWorkplace } from '../support/command.ts'
import { ledger } from './ledger.ts'
import { load } from './load.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, readOn } from './stage.ts'

const TIMES = 20
const READ_EVERY = 5

describe('a server that is stopped under load', () => {
  const place = processWorkplace()
  after(place.remove)

  it(`${TIMES} times answers every request that was sent, exits with status 0, and leaves one complete file`, async () => {
    const seed = seedOfThisRun()
    const dice = chance(seed)
    const book = ledger()
    const everybody = await cast(place, book, 4)
    const wal = join(place.folder, 'data', 'portcullis.db-wal')
    for (let time = 1; time <= TIMES; time += 1) {
      const where = `time ${time}, FAULT_SEED=${seed}`
      const server = await place.serve('serve', ENVIRONMENT)
      const traffic = load(server.port, everybody, book, dice)
      await traffic.flowing // it does not answer connections that it has not accepted yet
      await passes(dice.below(250) + 50)
      expect(existsSync(wal), 'there is a write-ahead log').to.equal(true)
      const status = await server.end('SIGTERM')
      await traffic.over
      const broken = traffic.replies.filter(({ fate }) => fate === 'broken')
      expect({ status, broken, logged: server.logged() }, where).to.deep.equal({
        status: 0,
        broken: [],
        logged: '',
      })
      expect(existsSync(wal) ? statSync(wal).size : 0, where).to.equal(0)
      if (time % READ_EVERY === 0) await readOn(place, book)
      expect(book.problems, where).to.deep.equal([])
    }
    expect(book.acknowledged()).to.be.greaterThan(TIMES)
    await agree(place)
  })
})
