import { statSync } from 'node:fs'
import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { fail, succeed } from '../support/outcome.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { storeWithFailures } from './failing-statements.ts'
import { onFile } from './folder.ts'

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
    'returns after a failed and a successful commit',
    onFile(async (path) => {
      const { store, next } = storeWithFailures(path)
      next({ sql: 'COMMIT', when: 'before', code: 'SQLITE_FULL' })
      await fail(store.commit(change(issuedToken())))
      await commitAll(store, change(issuedToken()))
      next({ sql: 'BEGIN IMMEDIATE', when: 'before', code: 'SQLITE_FULL' })
      await succeed(store.checkWritable())
      await store.close()
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
