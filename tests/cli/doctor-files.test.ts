import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { withRaw } from '../sqlite/raw.ts'
import { DEFAULT_COST } from '../support/default-cost.ts'
import { runHere } from '../support/run-here.ts'
import { startService } from '../support/running-service.ts'
import { workplace } from '../support/workplace.ts'

/** Damages a valid store file. */
type Damage = (path: string) => void

const WRONG: ReadonlyArray<readonly [what: string, damage: Damage, check: string, detail: RegExp]> = [
  [
    'a file that others may read',
    (path) => chmodSync(path, 0o644),
    'permissions',
    /others may read or write \S+store\.db: chmod 600 it/,
  ],
  [
    'a file that is no database',
    (path) => writeFileSync(path, 'not a database, '.repeat(1000)),
    'store',
    /SQLite cannot read the file \(SQLITE_NOTADB\)/,
  ],
  [
    'a store that a newer version wrote',
    (path) => withRaw(path, (db) => db.pragma('user_version = 99')),
    'store',
    /a newer version of Portcullis wrote it \(schema 99\)/,
  ],
  [
    'a store that a version before the first release wrote',
    (path) => withRaw(path, (db) => db.pragma(`application_id = ${0x504f5254}`)),
    'store',
    /a version before the first release wrote it\. Run with that version: portcullis user export users\.jsonl\./,
  ],
  [
    'an empty file',
    (path) => writeFileSync(path, ''),
    'store',
    /it is empty: no service has used it, or a copy was interrupted\. Check DATABASE_URL\.$/,
  ],
  [
    'a database of another program',
    (path) => {
      rmSync(path)
      withRaw(path, (db) => db.exec('CREATE TABLE bookmarks (url TEXT)'))
      chmodSync(path, 0o600)
    },
    'store',
    /it belongs to another program\. Name another file in DATABASE_URL\.$/,
  ],
]

describe('portcullis doctor on a file', () => {
  const { folder, remove } = workplace()
  const original = join(folder, 'original.db')
  before(async () => (await startService({ DATABASE_URL: `sqlite:${original}` })).stop())
  after(remove)

  /** A damaged copy of the store in a new folder. */
  const copy = (damage: Damage): string => {
    const path = join(mkdtempSync(join(folder, 'case-')), 'store.db')
    copyFileSync(original, path)
    damage(path)
    return path
  }

  const doctor = (path: string) =>
    runHere('doctor --json', { ...DEFAULT_COST, DATABASE_URL: `sqlite:${path}` })

  for (const [what, damage, check, detail] of WRONG) {
    it(`fails only the right check for: ${what}`, async () => {
      const { status, out, err } = await doctor(copy(damage))
      expect(status).to.equal(1)
      expect(err).to.equal('Some checks failed. See each check that is not ok.\n')
      const { checks } = JSON.parse(out)
      const wrong = checks.filter(({ ok }: { ok: boolean }) => !ok)
      expect(wrong.map(({ name }: { name: string }) => name)).to.deep.equal([check])
      expect(wrong[0]?.detail).to.match(detail)
    })
  }
})
