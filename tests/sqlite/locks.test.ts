import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { sqliteStore } from '../../adapters/driven/sqlite/store.ts'
import { fail, succeed } from '../support/outcome.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { storeWithFailures } from './failing-statements.ts'
import { inFolder, onFile } from './folder.ts'

describe('a SQLite file that somebody else holds locked', () => {
  it(
    'for a while: commits wait, and everything else goes on',
    onFile(async (path) => {
      const store = sqliteStore(path)
      await commitAll(store, change(issuedToken()))
      const lock = lockFor(path, 300)
      const waiting = succeed(store.commit(change(registered())))
      let turns = 0
      const turning = setInterval(() => {
        turns += 1
      }, 5)

      expect(await wholeLog(store), 'reads do not wait').to.have.length(1)
      expect(lock.isHeld()).to.equal(true)
      // The lock is let go of by this very process, which a commit that blocks it would keep from doing so.
      await waiting
      expect(lock.isHeld()).to.equal(false)
      expect(turns).to.be.greaterThan(3)
      expect(await wholeLog(store)).to.have.length(2)
      clearInterval(turning)
      await store.close()
    }),
  )

  it(
    'for a while: closing waits for the commits that wait',
    onFile(async (path) => {
      const store = sqliteStore(path)
      const lock = lockFor(path, 100)
      const waiting = store.commit(change(registered()))()
      await store.close()
      expect(lock.isHeld()).to.equal(false)
      expect((await waiting)._tag).to.equal('Right')
    }),
  )

  it(
    'for long: commits are refused, nothing is written, and the next ones are waited for anew',
    inFolder(async (folder) => {
      const [path, otherPath] = [join(folder, 'store.db'), join(folder, 'other.db')]
      const [store, other] = [sqliteStore(path), sqliteStore(otherPath)]
      lockFor(otherPath, 50)
      await commitAll(other, change(issuedToken()))

      const lock = lockFor(path)
      const failures = await Promise.all([
        fail(store.commit(change(issuedToken()))),
        fail(store.commit(change(registered()))),
      ])
      expect(failures).to.deep.equal([
        { _tag: 'StoreUnavailable', reason: 'SQLITE_BUSY' },
        { _tag: 'StoreUnavailable', reason: 'SQLITE_BUSY' },
      ])
      expect(lock.isHeld()).to.equal(true)
      expect(await wholeLog(store)).to.deep.equal([])

      setTimeout(lock.release, 50)
      await commitAll(store, change(issuedToken()))
      expect((await wholeLog(store)).map(({ position }) => position)).to.deep.equal([1])
      // By now the patience with its first lock would be over, too.
      lockFor(otherPath, 50)
      await commitAll(other, change(issuedToken()))
      await Promise.all([store.close(), other.close()])
    }),
  ).timeout(20_000)

  it(
    'and that fails for another reason meanwhile: the next lock is waited for anew, however late it comes',
    onFile(async (path) => {
      const { store, next } = storeWithFailures(path)
      const begin = { sql: 'BEGIN IMMEDIATE', when: 'before' } as const
      next({ ...begin, code: 'SQLITE_BUSY' })
      next({ ...begin, code: 'SQLITE_IOERR_READ' })
      expect(await fail(store.commit(change(issuedToken())))).to.deep.equal({
        _tag: 'StoreUnavailable',
        reason: 'SQLITE_IOERR_READ',
      })
      await later(10_000, async () => {
        next({ ...begin, code: 'SQLITE_BUSY' })
        await commitAll(store, change(issuedToken()))
      })
      expect(await wholeLog(store)).to.have.length(1)
      await store.close()
    }),
  )
})

/** What comes of it where so much more time has passed. */
const later = async (milliseconds: number, work: () => Promise<void>): Promise<void> => {
  const { now } = performance
  performance.now = () => now.call(performance) + milliseconds
  try {
    await work()
  } finally {
    performance.now = now
  }
}

/** The write lock in the hands of another connection, let go of after so long where a time is named. */
const lockFor = (path: string, milliseconds?: number) => {
  const other = new Database(path)
  other.exec('BEGIN IMMEDIATE')
  const release = () => other.close()
  if (milliseconds !== undefined) setTimeout(release, milliseconds)
  return { release, isHeld: () => other.open }
}
