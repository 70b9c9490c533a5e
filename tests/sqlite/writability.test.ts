import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { expectRoom } from '../../adapters/stores/sqlite/database-file.ts'
import { sqlite } from '../../adapters/stores/sqlite/sqlite.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { writabilityOf } from '../../adapters/stores/sqlite/writability.ts'
import { fail, succeed } from '../support/outcome.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { countOne } from '../testkit/failure-counts/steps.ts'
import { commitAll } from '../testkit/outcome.ts'
import { storeWithFailures } from './failing-statements.ts'
import { inFolder, onFile } from './folder.ts'
import { withRaw } from './raw.ts'

const OPTIONS = {
  opening: 'migrate',
  countsOpen: 'at start',
  clock: Date.now,
  onCommitted: () => {},
  onServerRefused: () => {},
} as const

describe('the writability of a SQLite store', () => {
  for (const code of ['SQLITE_FULL', 'SQLITE_READONLY', 'SQLITE_IOERR_WRITE'])
    it(
      `is lost after a failed commit (${code}) and returns after a successful transaction`,
      onFile(async (path) => {
        const { store, next } = storeWithFailures(path)
        const failing = { sql: 'BEGIN IMMEDIATE', when: 'before', code } as const
        await succeed(store.checkWritable())
        next(failing)
        await fail(store.commit(change(issuedToken())))
        for (let time = 0; time < 2; time += 1) {
          next(failing)
          expect(await fail(store.checkWritable())).to.deep.equal({ _tag: 'StoreUnavailable', reason: code })
        }
        await succeed(store.checkWritable()) // without a commit: an idle server recovers too
        await commitAll(store, change(issuedToken()))
        await succeed(store.checkWritable())
        await store.close()
      }),
    )

  it(
    'is not proved by a commit that succeeds after a failed one',
    onFile(async (path) => {
      const { store, next } = storeWithFailures(path)
      next({ sql: 'COMMIT', when: 'before', code: 'SQLITE_FULL' })
      await fail(store.commit(change(issuedToken())))
      await commitAll(store, change(issuedToken())) // it may have been small enough
      next({ sql: 'BEGIN IMMEDIATE', when: 'before', code: 'SQLITE_FULL' })
      await fail(store.checkWritable())
      await succeed(store.checkWritable())
      next({ sql: 'BEGIN IMMEDIATE', when: 'before', code: 'SQLITE_FULL' })
      await succeed(store.checkWritable()) // without a transaction
      await store.close()
    }),
  )

  it(
    'stays lost after a failed commit as long as no file fits beside the database',
    onFile(async (path) => {
      let isFull = true
      const findRoom = async () => {
        if (isFull) throw Object.assign(new Error('no room'), { code: 'ENOSPC' })
      }
      const { store, next } = storeWithFailures(path, { writability: writabilityOf(path, findRoom) })
      await succeed(store.checkWritable())
      next({ sql: 'COMMIT', when: 'before', code: 'SQLITE_FULL' })
      await fail(store.commit(change(issuedToken())))
      for (let time = 0; time < 3; time += 1) {
        const { reason } = await fail(store.checkWritable())
        expect(reason).to.equal('a change needs more room (ENOSPC)')
        await commitAll(store, change(issuedToken()))
      }
      isFull = false
      await succeed(store.checkWritable())
      await store.close()
    }),
  )

  it(
    'is found out in a new file, which leaves nothing behind and touches no other file',
    inFolder(async (folder) => {
      for (const name of ['store.db', 'store.db.probe']) writeFileSync(join(folder, name), 'precious')
      await expectRoom(join(folder, 'store.db'))
      expect(readdirSync(folder)).to.have.members(['store.db', 'store.db.probe'])
      expect(readFileSync(join(folder, 'store.db.probe'), 'utf8')).to.equal('precious')
    }),
  )

  it(
    'is lost with the failure counts of the same file, too',
    onFile(async (path) => {
      const storage = await sqlite(path).open(OPTIONS)
      await succeed(storage.store.checkWritable())
      withRaw(path, (db) => db.exec('ALTER TABLE failure_counts RENAME TO gone'))
      const { failureCounts } = storage
      if (failureCounts === undefined) throw new Error('no counts')
      await fail(countOne(failureCounts, 'a'))
      renameSync(dirname(path), `${dirname(path)}-away`) // like a full disk, it refuses a new file
      const { reason } = await fail(storage.store.checkWritable())
      renameSync(`${dirname(path)}-away`, dirname(path))
      expect(reason).to.equal('a change needs more room (ENOENT)')
      await succeed(storage.store.checkWritable())
      await failureCounts.close()
      await storage.store.close()
    }),
  )

  it(
    'is checked without a write, also to the write-ahead log',
    onFile(async (path) => {
      const store = sqliteStore(path)
      await commitAll(store, change(issuedToken()))
      const before = statSync(`${path}-wal`).size
      for (let time = 0; time < 20; time += 1) await succeed(store.checkWritable())
      expect(statSync(`${path}-wal`).size).to.equal(before)
      await store.close()
    }),
  )

  it(
    'is lost if the store was opened read-only',
    onFile(async (path) => {
      await sqliteStore(path).close()
      const store = sqliteStore(path, { opening: 'read-only' })
      expect(await fail(store.checkWritable())).to.include({ reason: 'SQLITE_READONLY' })
      await store.close()
    }),
  )
})
