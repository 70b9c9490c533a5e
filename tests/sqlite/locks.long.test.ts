import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { some } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { LogTree } from '../../application/ports/log-tree.ts'
import type { Store, StoreUnavailable } from '../../application/ports/store.ts'
import { fail, succeed } from '../support/outcome.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { storeWithFailures } from './failing-statements.ts'
import { inFolder, onFile } from './folder.ts'

type Write = (store: Store & LogTree) => TaskEither<StoreUnavailable, unknown>

const OTHER_WRITES: ReadonlyArray<readonly [what: string, write: Write]> = [
  ['the growth of the tree', (store) => store.extendTree((tree) => async () => some({ ...tree, tiles: [] }))],
  ['the pruning of the log', (store) => store.pruneLog({ through: 1, positions: [] })],
  [
    'the deletion of expired rows',
    (store) => store.deleteExpired({ table: 'sessions', beforeSeconds: 1, limit: 1 }),
  ],
]

describe('a SQLite file that another process has locked', () => {
  it(
    'delays commits during a short lock and blocks nothing else',
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
      // This process releases the lock. A commit that blocks the process would prevent that.
      await waiting
      expect(lock.isHeld()).to.equal(false)
      expect(turns).to.be.greaterThan(3)
      expect(await wholeLog(store)).to.have.length(2)
      clearInterval(turning)
      await store.close()
    }),
  )

  for (const [what, write] of OTHER_WRITES)
    it(
      `delays ${what} during a short lock`,
      onFile(async (path) => {
        const store = sqliteStore(path)
        await commitAll(store, change(issuedToken()))
        const lock = lockFor(path, 50)
        await succeed(write(store))
        expect(lock.isHeld()).to.equal(false)
        await store.close()
      }),
    )

  it(
    'delays closing until the waiting commits are done',
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
    'refuses commits during a long lock, writes nothing, and makes later commits wait again',
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
      // By now the waiting time of its first lock would be over.
      lockFor(otherPath, 50)
      await commitAll(other, change(issuedToken()))
      await Promise.all([store.close(), other.close()])
    }),
  ).timeout(20_000)

  it(
    'starts a new waiting time for the next lock after a different failure',
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

/** Runs the work as if this much more time had passed. */
const later = async (milliseconds: number, work: () => Promise<void>): Promise<void> => {
  const { now } = performance
  performance.now = () => now.call(performance) + milliseconds
  try {
    await work()
  } finally {
    performance.now = now
  }
}

/** Holds the write lock on another connection. Releases it after the given time, if any. */
const lockFor = (path: string, milliseconds?: number) => {
  const other = new Database(path)
  other.exec('BEGIN IMMEDIATE')
  const release = () => other.close()
  if (milliseconds !== undefined) setTimeout(release, milliseconds)
  return { release, isHeld: () => other.open }
}
