import { statSync } from 'node:fs'
import { expect } from 'chai'
import { startProcess } from '../sqlite/another-process.ts'
import { withRaw } from '../sqlite/raw.ts'
import { processWorkplace } from '../support/command.ts'
import { holdsSharedLock, LISTS_LOCKS } from '../support/held-locks.ts'
import { ledger } from './ledger.ts'
import { load } from './load.ts'
import { chance, seedOfThisRun } from './seed.ts'
import { agree, cast, ENVIRONMENT, verify } from './stage.ts'
import { until } from './until.ts'

describe('a server whose SQLite file another program opens and closes', () => {
  const place = processWorkplace()
  after(place.remove)

  it('keeps its lock, and is killed without the loss of an acknowledged change', async () => {
    const seed = seedOfThisRun()
    const book = ledger()
    const everybody = await cast(place, book, 3)
    const server = await place.serve('serve', ENVIRONMENT)
    const other = await startProcess()
    const traffic = load(server.port, everybody, book, chance(seed))
    await traffic.flowing
    for (let times = 1; times <= 10; times += 1) {
      const seen = traffic.replies.length
      expect((await other.ask({ act: 'look', path: place.database })).outcome).to.equal('looked')
      if (LISTS_LOCKS)
        expect(holdsSharedLock(server.pid, statSync(place.database).ino), 'its lock').to.equal(true)
      await until('there is more traffic', () => traffic.replies.length > seen + 10)
    }
    await server.end('SIGKILL')
    await traffic.over
    await other.end()
    expect(withRaw(place.database, (db) => db.pragma('integrity_check', { simple: true }))).to.equal('ok')
    const again = await place.serve('serve', ENVIRONMENT)
    await verify(place, again.port, everybody, book)
    expect(book.problems, `FAULT_SEED=${seed}`).to.deep.equal([])
    await again.end()
    await agree(place)
  })
})
