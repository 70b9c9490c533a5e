import { copyFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { Store } from '../../application/ports/store.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, commitAtOnce, tally } from '../testkit/outcome.ts'
import { watchingCheckpoints } from './checkpoints.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

const MIB = 1024 * 1024

describe('the write-ahead log', () => {
  it(
    'grows to 16 MiB before a commit checkpoints it, and is truncated to that size',
    onFile(async (path) => {
      const db = openDatabase(path)
      const pageBytes = Number(db.pragma('page_size', { simple: true }))
      const bytes = Number(db.pragma('wal_autocheckpoint', { simple: true })) * pageBytes
      expect(Math.round(bytes / MIB)).to.equal(16)
      expect(db.pragma('journal_size_limit', { simple: true })).to.equal(16 * MIB)
      db.close()
    }),
  )

  it(
    'is checkpointed by a command after 500 pages, before the service beside it would',
    onFile(async (path) => {
      openDatabase(path).close()
      const db = openDatabase(path, { opening: 'existing' })
      expect(db.pragma('wal_autocheckpoint', { simple: true })).to.equal(500)
      db.close()
    }),
  )

  for (const [what, others] of [
    ['the only store', 0],
    ['the last of three stores', 2],
  ] as const) {
    it(
      `is removed when ${what} is closed`,
      onFile(async (path) => {
        const stores = Array.from({ length: others + 1 }, () => sqliteStore(path))
        for (const store of stores) await commitEntries(store, 10)
        for (const store of stores) {
          expect(readdirSync(dirname(path))).to.include(`${basename(path)}-wal`)
          await store.close()
        }
        expect(readdirSync(dirname(path))).to.deep.equal([basename(path)])
        expect(entriesWithoutWal(path)).to.equal(stores.length * 10)
      }),
    )
  }
})

describe('a regular checkpoint', () => {
  it(
    'does nothing without a commit since the last one',
    onFile(async (path) => {
      const { store, tick, count } = watchingCheckpoints(() => sqliteStore(path))
      tick()
      await commitEntries(store, 1)
      tick()
      const busy = count()
      tick()
      tick()
      expect(count()).to.equal(busy)
      await commitEntries(store, 1)
      tick()
      expect(count()).to.equal(busy + 1)
      await store.close()
    }),
  )

  it(
    'that fails has no effect, and the next one succeeds',
    onFile(async (path) => {
      const { store, tick, count, failWith } = watchingCheckpoints(() => sqliteStore(path))
      await commitEntries(store, 10)
      for (const code of ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_BUSY']) {
        failWith(code)
        const before = count()
        expect(tick).to.not.throw()
        expect(count(), 'it ran').to.equal(before + 1)
        expect(tally(await commitAtOnce(store, [change(registered())]))).to.deep.equal({ success: 1 })
      }
      expect(entriesWithoutWal(path)).to.equal(0)
      failWith(undefined)
      tick()
      expect(entriesWithoutWal(path)).to.equal(13)
      await store.close()
    }),
  )

  it(
    'that a reader blocks succeeds after the reader is gone, without another commit',
    onFile(async (path) => {
      const { store, tick } = watchingCheckpoints(() => sqliteStore(path))
      await commitEntries(store, 1)
      const release = holdSnapshot(path)
      await commitEntries(store, 20)
      tick()
      expect(entriesWithoutWal(path)).to.be.lessThan(21)
      release()
      tick()
      expect(entriesWithoutWal(path)).to.equal(21)
      await store.close()
    }),
  )

  it(
    'and a writer do not wait for each other',
    onFile(async (path) => {
      const { store, tick } = watchingCheckpoints(() => sqliteStore(path))
      await commitEntries(store, 5)
      withRaw(path, (writer) => {
        writer.exec('BEGIN IMMEDIATE')
        tick()
        writer.exec('COMMIT')
      })
      expect(entriesWithoutWal(path)).to.equal(5)
      await store.close()
    }),
  )

  it(
    'stops when its store is closed, once or repeatedly',
    onFile(async (path) => {
      const { store, running } = watchingCheckpoints(() => sqliteStore(path))
      expect(running()).to.equal(1)
      const closing = store.close()
      await Promise.all([closing, store.close()])
      expect(running()).to.equal(0)
    }),
  )

  it(
    'does not keep the process alive',
    onFile(async (path) => {
      const { store, holding } = watchingCheckpoints(() => sqliteStore(path))
      expect(holding()).to.equal(0)
      await store.close()
    }),
  )
})

const commitEntries = (store: Store, count: number): Promise<void> =>
  commitAll(store, ...Array.from({ length: count }, () => change(issuedToken())))

/** The number of entries in the database file without its write-ahead log. */
const entriesWithoutWal = (path: string): number => {
  const copy = join(dirname(path), 'copy.db')
  copyFileSync(path, copy)
  return withRaw(copy, (db) => {
    db.pragma('journal_mode = DELETE') // otherwise the copy would have a write-ahead log to checkpoint
    const log = db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'log'").pluck().get()
    return log === 0 ? 0 : Number(db.prepare('SELECT count(*) FROM log').pluck().get())
  })
}

/** A reader that holds a snapshot of the database as it is now. */
const holdSnapshot = (path: string): (() => void) => {
  const reader = new Database(path)
  reader.exec('BEGIN; SELECT count(*) FROM log')
  return () => reader.close()
}
