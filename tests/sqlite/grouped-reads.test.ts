import Database from 'better-sqlite3'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { groupedReads } from '../../adapters/stores/sqlite/grouped-reads.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

const COUNT = 'SELECT count(*) AS notes FROM notes'

/** A read of a table, and another process that adds a row to it. */
const notebook = (path: string) => {
  const db = openDatabase(path, { opening: 'migrate' })
  db.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY)')
  const count = db.prepare(COUNT).pluck()
  const other = new Database(path)
  return {
    db,
    read: groupedReads(db),
    count: () => right(Number(count.get())),
    add: () => other.exec('INSERT INTO notes DEFAULT VALUES'),
    close: () => {
      other.close()
      db.close()
    },
  }
}

describe('reads of one turn of the event loop', () => {
  it(
    'see one state of the file',
    onFile(async (path) => {
      const { read, count, add, close } = notebook(path)
      const first = read(() => {
        const found = count()
        add()
        return found
      })()
      const second = read(count)()
      expect(await Promise.all([first, second])).to.deep.equal([right(0), right(0)])
      expect(await read(count)()).to.deep.equal(right(1))
      close()
    }),
  )

  it(
    'begin after their calls, so that each sees what was committed before it',
    onFile(async (path) => {
      const { read, count, add, close } = notebook(path)
      const first = read(count)()
      add()
      expect(await Promise.all([first, read(count)()])).to.deep.equal([right(1), right(1)])
      close()
    }),
  )

  it(
    'fail one by one',
    onFile(async (path) => {
      const { read, count, close } = notebook(path)
      const failing = () => {
        throw new Error('a damaged row')
      }
      const failed = {
        _tag: 'Left',
        left: { _tag: 'StoreUnavailable', reason: 'an error without a code' },
      }
      const reads = [count, failing, count].map((query) => read(query)())
      expect(await Promise.all(reads)).to.deep.equal([right(0), failed, right(0)])
      close()
    }),
  )

  it(
    'leave no transaction open, so that the next change can be written',
    onFile(async (path) => {
      const { db, read, count, close } = notebook(path)
      await Promise.all([read(count)(), read(count)()])
      expect(db.inTransaction).to.equal(false)
      db.exec('INSERT INTO notes DEFAULT VALUES')
      expect(withRaw(path, (raw) => raw.prepare(COUNT).pluck().get())).to.equal(1)
      close()
    }),
  )

  it(
    'are all answered, also if they are more than one transaction takes',
    onFile(async (path) => {
      const { read, count, close } = notebook(path)
      const reads = Array.from({ length: 1_000 }, () => read(count)())
      expect(await Promise.all(reads)).to.deep.equal(Array(1_000).fill(right(0)))
      close()
    }),
  )
})
