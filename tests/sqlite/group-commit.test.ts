import type Database from 'better-sqlite3'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/driven/sqlite/database.ts'
import { groupCommit } from '../../adapters/driven/sqlite/group-commit.ts'
import type { Change } from '../../application/ports/store.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { onFile } from './folder.ts'

/** A batch takes notes here: a note with an id that is there already is a conflict. */
describe('a batch that cannot be committed', () => {
  it(
    'for want of space on the disk is taken back, and nobody is told what was judged against it',
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
    'for a reason that SQLite knows nothing of is taken back, and the next one goes on',
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
  const { commit } = groupCommit({ db, open: () => write, isOneStatement: () => false })

  return {
    db,
    note,
    write: (...changes: ReadonlyArray<Change>) => Promise.all(changes.map((made) => commit(made)())),
    ids: () => db.prepare('SELECT id FROM note ORDER BY id').pluck().all(),
  }
}
