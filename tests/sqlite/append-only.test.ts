import { expect } from 'chai'
import { sqliteStore } from '../../adapters/driven/sqlite/store.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'

/** What nobody may do to a log of three entries, with :known standing for the id of the second. */
const FORBIDDEN: ReadonlyArray<readonly [string, string]> = [
  ['an update', `UPDATE log SET data = '{}' WHERE position = 2`],
  ['an update of everything', `UPDATE log SET at = ''`],
  ['an update that replaces', 'UPDATE OR REPLACE log SET position = 2 WHERE position = 3'],
  ['an update that ignores', 'UPDATE OR IGNORE log SET position = 4 WHERE position = 3'],
  ['a deletion of the last entry', 'DELETE FROM log WHERE position = 3'],
  ['a deletion of everything', 'DELETE FROM log'],
  ['a position that exists', insert('INSERT', 2)],
  ['a replacement at a position', insert('INSERT OR REPLACE', 2)],
  ['a replacement at the last position', insert('REPLACE', 3)],
  ['an insertion that gives way at a position', insert('INSERT OR IGNORE', 2)],
  ['an insertion that turns into an update', insert('INSERT', 2, `ON CONFLICT DO UPDATE SET data = '{}'`)],
  ['an id that exists', insert('INSERT', 4).replace(`'new'`, ':known')],
  ['a replacement of an id', insert('INSERT OR REPLACE', 4).replace(`'new'`, ':known')],
  ['a gap', insert('INSERT', 5)],
  ['a position before the first', insert('INSERT', 0)],
  ['a position below zero', insert('INSERT', -1)],
  ['no position', insert('INSERT', 'NULL')],
]

describe('the log in SQLite is append-only', () => {
  for (const [name, sql] of FORBIDDEN) {
    it(
      `it refuses ${name} and stays as it was`,
      onFile(async (path) => {
        await threeEntries(path)
        const before = contents(path)
        const known = withRaw(path, (db) => db.prepare('SELECT id FROM log WHERE position = 2').pluck().get())
        const run = () =>
          withRaw(path, (db) => db.prepare(sql).run(...(sql.includes(':known') ? [{ known }] : [])))
        expect(run).to.throw(/the log is append-only|the log takes the next position only/)
        expect(contents(path)).to.deep.equal(before)
      }),
    )
  }

  it(
    'it takes the next position',
    onFile(async (path) => {
      await threeEntries(path)
      withRaw(path, (db) => db.exec(insert('INSERT', 4)))
      expect(contents(path).log).to.have.length(4)
    }),
  )
})

const threeEntries = async (path: string): Promise<void> => {
  const store = sqliteStore(path)
  await commitAll(store, change(issuedToken(), issuedToken()), change(issuedToken()))
  await store.close()
}

function insert(verb: string, position: number | string, rest = ''): string {
  return `${verb} INTO log (position, id, type, version, at, subject_kind, subject_id, actor_kind, data)
    VALUES (${position}, 'new', 'UserRegistered', 1, '2026-01-02T03:04:05.678Z', 'user', 'u', 'nobody', '{}') ${rest}`
}
