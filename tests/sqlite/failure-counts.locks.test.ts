import Database from 'better-sqlite3'
import { expect } from 'chai'
import { sqliteFailureCounts } from '../../adapters/driven/sqlite/failure-counts.ts'
import { sqliteStore } from '../../adapters/driven/sqlite/store.ts'
import type { FailureCounts } from '../../application/ports/failure-counts.ts'
import { fail, succeed } from '../support/outcome.ts'
import { countIn, countOne, NOW, read } from '../testkit/failure-counts/steps.ts'
import { onFile } from './folder.ts'

const BUSY = { _tag: 'StoreUnavailable', reason: 'SQLITE_BUSY' }

/** A test with failure counts on the file of a store, in use or not yet. */
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

describe('failures counted on a SQLite file that somebody else holds locked', () => {
  for (const isOpen of [true, false]) {
    it(
      `for a while: they wait, and everything else goes on, ${isOpen ? 'in the midst of it' : 'also the very first'}`,
      withCounts(isOpen, async (counts, lock) => {
        // The lock is let go of by this very process, which a count that blocks it would keep from doing so.
        const held = lock(300)
        let turns = 0
        const turning = setInterval(() => {
          turns += 1
        }, 5).unref() // a test that fails here must not keep the runner from ending
        await Promise.all(Array.from({ length: 20 }, () => succeed(countOne(counts, 'key'))))
        clearInterval(turning)
        expect(held.isHeld()).to.equal(false)
        expect(turns).to.be.greaterThan(3)
        expect(countIn(await read(counts, 'key'))).to.equal(20)
      }),
    )
  }

  it(
    'for long: they are refused, nothing is counted, and the next ones are waited for anew',
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

  it(
    'from the beginning, for long: they are refused, and are counted when it is free',
    withCounts(false, async (counts, lock) => {
      const held = lock()
      expect(await fail(countOne(counts, 'key'))).to.deep.equal(BUSY)
      held.release()
      expect(await succeed(countOne(counts, 'key'))).to.equal(0)
    }),
  ).timeout(20_000)

  it(
    'for a while: closing waits for those that wait',
    withCounts(true, async (counts, lock) => {
      const held = lock(100)
      const waiting = countOne(counts, 'key')()
      await counts.close()
      expect(held.isHeld()).to.equal(false)
      expect(await waiting).to.deep.equal({ _tag: 'Right', right: 0 })
    }),
  )
})

type Lock = Readonly<{ release: () => void; isHeld: () => boolean }>

/** The write lock in the hands of another connection, let go of after so long where a time is named. */
const lockFor = (path: string, milliseconds?: number): Lock => {
  const other = new Database(path)
  other.exec('BEGIN IMMEDIATE')
  const release = () => void other.close()
  if (milliseconds !== undefined) setTimeout(release, milliseconds)
  return { release, isHeld: () => other.open }
}
