import Database from 'better-sqlite3'
import { expect } from 'chai'
import { sqliteFailureCounts } from '../../adapters/stores/sqlite/failure-counts.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import { fail, succeed } from '../support/outcome.ts'
import { countIn, countOne, NOW, read } from '../testkit/failure-counts/steps.ts'
import { onFile } from './folder.ts'

const BUSY = { _tag: 'StoreUnavailable', reason: 'SQLITE_BUSY' }

/** A test with failure counts on the path of a store, which may exist. */
const withCounts = (
  isOpen: boolean,
  test: (counts: FailureCounts, lock: (milliseconds?: number) => Lock) => Promise<void>,
) =>
  onFile(async (path) => {
    await sqliteStore(path).close()
    const counts = sqliteFailureCounts(path, () => NOW)
    if (isOpen) await succeed(countOne(counts, 'another'))
    await test(counts, (milliseconds) => lockFor(path, milliseconds))
    await counts.close()
  })

describe('failure counts on a locked SQLite file', () => {
  for (const isOpen of [true, false]) {
    it(
      `wait during a short lock without blocking the process, ${isOpen ? 'after earlier counts' : 'also for the first count'}`,
      withCounts(isOpen, async (counts, lock) => {
        // This process releases the lock. A count that blocks the process would prevent that.
        const held = lock(300)
        let turns = 0
        const turning = setInterval(() => {
          turns += 1
        }, 5).unref() // a failed test must not keep the runner alive
        await Promise.all(Array.from({ length: 20 }, () => succeed(countOne(counts, 'key'))))
        clearInterval(turning)
        expect(held.isHeld()).to.equal(false)
        expect(turns).to.be.greaterThan(3)
        expect(countIn(await read(counts, 'key'))).to.equal(20)
      }),
    )
  }

  it(
    'are refused during a long lock, change nothing, and wait again for the next lock',
    withCounts(true, async (counts, lock) => {
      await succeed(countOne(counts, 'key'))
      const held = lock()
      const answers = await Promise.all([fail(countOne(counts, 'key')), fail(countOne(counts, 'another'))])
      expect(answers).to.deep.equal([BUSY, BUSY])
      expect(held.isHeld()).to.equal(true)
      setTimeout(held.release, 50)
      expect(await succeed(countOne(counts, 'key'))).to.equal(1)
    }),
  ).timeout(20_000)
})

type Lock = Readonly<{ release: () => void; isHeld: () => boolean }>

/** Holds the write lock on another connection. Releases it after the given time, if any. */
const lockFor = (path: string, milliseconds?: number): Lock => {
  const other = new Database(path)
  other.exec('BEGIN IMMEDIATE')
  const release = () => void other.close()
  if (milliseconds !== undefined) setTimeout(release, milliseconds)
  return { release, isHeld: () => other.open }
}
