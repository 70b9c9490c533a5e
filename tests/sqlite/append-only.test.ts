import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { expectPrunableTypes } from '../support/prunable-types.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'

/** Forbidden changes to a log of three entries. `:known` stands for the id of the second. */
const FORBIDDEN: ReadonlyArray<readonly [string, string]> = [
  ['UPDATE of one entry', `UPDATE log SET data = '{}' WHERE position = 2`],
  ['UPDATE of all entries', `UPDATE log SET at = ''`],
  ['UPDATE OR REPLACE', 'UPDATE OR REPLACE log SET position = 2 WHERE position = 3'],
  ['UPDATE OR IGNORE', 'UPDATE OR IGNORE log SET position = 4 WHERE position = 3'],
  ['DELETE of the last entry', 'DELETE FROM log WHERE position = 3'],
  ['DELETE of all entries', 'DELETE FROM log'],
  ['INSERT at an existing position', insert('INSERT', 2)],
  ['INSERT OR REPLACE at an existing position', insert('INSERT OR REPLACE', 2)],
  ['REPLACE at the last position', insert('REPLACE', 3)],
  ['INSERT OR IGNORE at an existing position', insert('INSERT OR IGNORE', 2)],
  ['INSERT with ON CONFLICT DO UPDATE', insert('INSERT', 2, `ON CONFLICT DO UPDATE SET data = '{}'`)],
  ['INSERT with an existing id', insert('INSERT', 4).replace(`'new'`, ':known')],
  ['INSERT OR REPLACE with an existing id', insert('INSERT OR REPLACE', 4).replace(`'new'`, ':known')],
  ['a gap', insert('INSERT', 5)],
  ['INSERT at position 0', insert('INSERT', 0)],
  ['INSERT at a negative position', insert('INSERT', -1)],
  ['no position', insert('INSERT', 'NULL')],
]

describe('the log in SQLite is append-only', () => {
  for (const [name, sql] of FORBIDDEN) {
    it(
      `refuses ${name} and stays unchanged`,
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
    'lets exactly the prunable types be deleted, in the newest schema',
    onFile(async (path) => {
      await threeEntries(path)
      const trigger = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = 'log_no_delete'"
      const sql = withRaw(path, (db) => db.prepare(trigger).pluck().get())
      expectPrunableTypes(String(sql), 'adapters/stores/sqlite/migrations/')
    }),
  )

  it(
    'accepts an entry at the next position',
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
