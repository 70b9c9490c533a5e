import type Database from 'better-sqlite3'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { groupCommit } from '../../adapters/stores/sqlite/group-commit.ts'
import type { Change } from '../../application/ports/store.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { onFile } from './folder.ts'

describe('a failed batch', () => {
  it(
    'is rolled back on a full disk, and no change in it gets a result',
    onFile(async (path) => {
      const { db, note, write, ids } = notebook(path)
      db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 10}`)
      const full = { _tag: 'Left', left: { _tag: 'StoreUnavailable', reason: 'SQLITE_FULL' } }
      expect(await write(note(1), note(1), note(2, fill(10_000_000)), note(3))).to.deep.equal([
        full,
        full,
        full,
        full,
      ])
      expect(ids()).to.deep.equal([])

      db.pragma('max_page_count = 100000')
      expect(await write(note(1), note(1), note(3))).to.deep.equal([SUCCESS, CONFLICT, SUCCESS])
      expect(ids()).to.deep.equal([1, 3])
      db.close()
    }),
  )

  it(
    'is rolled back on an unknown error, and the next batch succeeds',
    onFile(async (path) => {
      const { db, note, write, ids } = notebook(path)
      const failing = note(2, () => {
        throw new TypeError('secret')
      })
      const unnamed = { _tag: 'StoreUnavailable', reason: 'an error without a code' }
      expect(await write(note(1), failing, note(3))).to.deep.equal([
        { _tag: 'Left', left: unnamed },
        { _tag: 'Left', left: unnamed },
        { _tag: 'Left', left: unnamed },
      ])
      expect(ids()).to.deep.equal([])
      expect(await write(note(1), note(3))).to.deep.equal([SUCCESS, SUCCESS])
      expect(ids()).to.deep.equal([1, 3])
      db.close()
    }),
  )
})

const SUCCESS = { _tag: 'Right', right: undefined }
const CONFLICT = { _tag: 'Left', left: { _tag: 'Conflict' } }

type Extra = (db: Database.Database) => void

const fill =
  (bytes: number): Extra =>
  (db) =>
    db.prepare('INSERT INTO note VALUES (?, zeroblob(?))').run(-bytes, bytes)

const notebook = (path: string) => {
  const db = openDatabase(path)
  db.exec('CREATE TABLE note (id INTEGER PRIMARY KEY, filling BLOB) STRICT')
  const insert = db.prepare('INSERT INTO note VALUES (?, NULL) ON CONFLICT DO NOTHING')
  const notes = new Map<Change, () => boolean>()

  const note = (id: number, extra: Extra = () => {}): Change => {
    const made = change(issuedToken())
    notes.set(made, () => {
      extra(db)
      return insert.run(id).changes === 1
    })
    return made
  }

  const write = (made: Change) => (notes.get(made)?.() ? undefined : { _tag: 'Conflict' })
  const { commit } = groupCommit({ db, open: () => write })

  return {
    db,
    note,
    write: (...changes: ReadonlyArray<Change>) => Promise.all(changes.map((made) => commit(made)())),
    ids: () => db.prepare('SELECT id FROM note ORDER BY id').pluck().all(),
  }
}
