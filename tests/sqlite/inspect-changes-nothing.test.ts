import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { inspectSqlite } from '../../adapters/stores/sqlite/inspect.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { finding, WHOLE } from './inspected.ts'

describe('the inspection of a SQLite file changes nothing', () => {
  it(
    'without a service: no byte and no file',
    onFile(async (path) => {
      const store = sqliteStore(path)
      await commitAll(store, change(registered(), issuedToken()))
      await store.close()
      const before = folder(path)
      expect(inspectSqlite(path).map(({ ok }) => ok)).to.deep.equal([true, true, true])
      expect(folder(path)).to.deep.equal(before)
    }),
  )

  it(
    'in a file that is not a database',
    onFile(async (path) => {
      writeFileSync(path, 'PORT=8080\n'.repeat(1_000), { mode: 0o600 })
      const before = folder(path)
      inspectSqlite(path)
      expect(folder(path)).to.deep.equal(before)
    }),
  )

  it(
    'after the service was killed: the write-ahead log keeps its content',
    onFile(async (path) => {
      const store = sqliteStore(path)
      await commitAll(store, change(registered(), issuedToken()))
      // The files of a process that was killed before it closed the store.
      const left = join(dirname(path), 'left')
      mkdirSync(left, { mode: 0o700 })
      const copy = join(left, basename(path))
      for (const suffix of ['', '-wal']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`)
      await store.close()

      const before = folder(copy)
      expect(finding(copy, 'store')).to.deep.equal(WHOLE)
      // The shared-memory index contains no data. Any reader recreates it if it is missing.
      const { [`${basename(path)}-shm`]: _, ...after } = folder(copy)
      expect(after).to.deep.equal(before)

      const again = sqliteStore(copy)
      expect(await wholeLog(again)).to.have.length(2)
      await again.close()
    }),
  )

  it(
    'beside a running service: it continues to write, and its data stays in place',
    onFile(async (path) => {
      const store = sqliteStore(path)
      await commitAll(store, change(registered(), issuedToken()))
      const { 'store.db-shm': marksBefore, ...before } = folder(path)
      expect(finding(path, 'store')).to.deep.equal(WHOLE)
      // SQLite registers readers in -shm. The other files are unchanged.
      const { 'store.db-shm': marksAfter, ...after } = folder(path)
      expect(after).to.deep.equal(before)
      expect(marksAfter?.length).to.equal(marksBefore?.length)
      await commitAll(store, change(issuedToken()))
      expect(await wholeLog(store)).to.have.length(3)
      await store.close()
      expect(readdirSync(dirname(path))).to.deep.equal([basename(path)])
    }),
  )

  it(
    'and does not wait while another process holds the write lock',
    onFile(async (path) => {
      const store = sqliteStore(path)
      await commitAll(store, change(issuedToken()))
      const writer = new Database(path)
      writer.exec('BEGIN IMMEDIATE')
      expect(finding(path, 'store')).to.deep.equal(WHOLE)
      writer.close()
      await store.close()
    }),
  )
})

/** The files beside a database file and itself: names, modes, times and bytes. */
const folder = (path: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(dirname(path))
      .sort()
      .map((name) => {
        const file = join(dirname(path), name)
        const { mode, mtimeMs } = statSync(file)
        const content = statSync(file).isFile() ? readFileSync(file).toString('base64') : ''
        return [name, `${mode.toString(8)} ${mtimeMs} ${content}`]
      }),
  )
