import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { inspectSqlite } from '../../adapters/driven/sqlite/inspect.ts'
import { sqliteStore } from '../../adapters/driven/sqlite/store.ts'
import type { Finding } from '../../application/ports/inspection.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { withFreeBytes } from './free-space.ts'

const MIB = 1024 * 1024

const WHOLE = { name: 'store', ok: true, detail: 'SQLite finds no damage.' }
const PRIVATE = { name: 'permissions', ok: true, detail: 'no other user may read it.' }
const unreadable = (code: string) =>
  new RegExp(
    `^SQLite cannot read the file \\(${code}\\)\\. Check DATABASE_URL, or restore the file from a back-up\\.$`,
  )
// SQLite may notice some damage before the integrity check starts.
const DAMAGED = new RegExp(
  `^the file is damaged\\. Restore it from a back-up\\.$|${unreadable('SQLITE_CORRUPT').source}`,
)

describe('the inspection of a SQLite file', () => {
  it(
    'passes for a file of a running and of a stopped service',
    onFile(async (path) => {
      const store = sqliteStore(path)
      await commitAll(store, change(registered(), issuedToken()))
      const beside = inspectSqlite(path)
      expect(beside.map(({ name, ok }) => [name, ok])).to.deep.equal([
        ['permissions', true],
        ['disk', true],
        ['store', true],
      ])
      expect(beside[0]).to.deep.equal(PRIVATE)
      expect(beside[2]).to.deep.equal(WHOLE)
      await store.close()
      expect([finding(path, 'permissions'), finding(path, 'store')]).to.deep.equal([PRIVATE, WHOLE])
    }),
  )

  it(
    'reports a missing file and creates none',
    onFile(async (path) => {
      expect(inspectSqlite(path)).to.deep.equal([
        {
          name: 'store',
          ok: false,
          detail: `there is no file ${path}. A service creates it when it starts. If one has run, check DATABASE_URL.`,
        },
      ])
      expect(readdirSync(dirname(path))).to.deep.equal([])
    }),
  )

  const CAN_BE_READ: ReadonlyArray<readonly [mode: number, ok: boolean]> = [
    [0o600, true],
    [0o640, false],
    [0o604, false],
    [0o620, false],
    [0o602, false],
    [0o666, false],
  ]
  for (const suffix of ['', '-wal', '-shm']) {
    for (const [mode, ok] of CAN_BE_READ) {
      it(
        `${ok ? 'accepts' : 'rejects'} store.db${suffix} with mode ${mode.toString(8)}`,
        onFile(async (path) => {
          const store = sqliteStore(path)
          await commitAll(store, change(issuedToken()))
          chmodSync(`${path}${suffix}`, mode)
          expect(finding(path, 'permissions')).to.deep.equal(
            ok
              ? PRIVATE
              : {
                  name: 'permissions',
                  ok: false,
                  detail: `others may read or write ${path}${suffix}: chmod 600 it.`,
                },
          )
          await store.close()
        }),
      )
    }
  }

  const CAN_BE_WRITTEN: ReadonlyArray<readonly [mode: number, ok: boolean]> = [
    [0o700, true],
    [0o755, true],
    [0o770, false],
    [0o707, false],
    [0o720, false],
  ]
  for (const [mode, ok] of CAN_BE_WRITTEN) {
    it(
      `${ok ? 'accepts' : 'rejects'} a folder with mode ${mode.toString(8)}`,
      onFile(async (path) => {
        await sqliteStore(path).close()
        chmodSync(dirname(path), mode)
        expect(finding(path, 'permissions')).to.deep.equal(
          ok
            ? PRIVATE
            : {
                name: 'permissions',
                ok: false,
                detail: `others may write to the folder ${dirname(path)}: chmod 700 it.`,
              },
        )
      }),
    )
  }

  it(
    'reports all wrong permissions together',
    onFile(async (path) => {
      const store = sqliteStore(path)
      await commitAll(store, change(issuedToken()))
      for (const file of [path, `${path}-wal`, `${path}-shm`]) chmodSync(file, 0o644)
      chmodSync(dirname(path), 0o777)
      const { ok, detail } = finding(path, 'permissions')
      expect(ok).to.equal(false)
      expect(detail.match(/chmod [67]00/g)).to.deep.equal([
        'chmod 600',
        'chmod 600',
        'chmod 600',
        'chmod 700',
      ])
      await store.close()
    }),
  )

  for (const [mebibytes, ok] of [
    [100, true],
    [99, false],
    [0, false],
  ] as const) {
    it(
      `${ok ? 'accepts' : 'rejects'} ${mebibytes} MiB of free space`,
      onFile(async (path) => {
        await sqliteStore(path).close()
        const told = withFreeBytes(mebibytes * MIB, () => finding(path, 'disk'))
        expect(told.ok).to.equal(ok)
        expect(told.detail).to.match(new RegExp(`^${mebibytes} MiB are free, and the store takes 1 MiB\\.`))
        expect(told.detail.includes('Free disk space')).to.equal(!ok)
      }),
    )
  }

  for (const [bytes, ok] of [
    [256 * MIB, true],
    [256 * MIB + 1, false],
  ] as const) {
    it(
      `${ok ? 'accepts' : 'rejects'} a write-ahead log of ${bytes} bytes, and counts it as part of the store`,
      onFile(async (path) => {
        await sqliteStore(path).close()
        writeFileSync(`${path}-wal`, '', { mode: 0o600 })
        truncateSync(`${path}-wal`, bytes)
        const told = withFreeBytes(100 * MIB, () => finding(path, 'disk'))
        expect(told.ok).to.equal(ok)
        expect(told.detail).to.match(/^100 MiB are free, and the store takes 257 MiB\./)
        expect(told.detail.includes('Its write-ahead log has grown to 257 MiB: ')).to.equal(!ok)
      }),
    )
  }

  const NOT_WHOLE: ReadonlyArray<readonly [string, (path: string) => Promise<void> | void, RegExp]> = [
    ['a text', (path) => writeFileSync(path, 'PORT=8080\n'.repeat(1_000)), unreadable('SQLITE_NOTADB')],
    ['a folder', (path) => void mkdirSync(path), unreadable('SQLITE_[A-Z_]+')],
    [
      'a database with garbage in the middle',
      (path) => spoil(path, (bytes, middle) => bytes.fill(0xff, middle, middle + PAGE_BYTES)),
      DAMAGED,
    ],
    ['half a database', (path) => spoil(path, (bytes, middle) => bytes.subarray(0, middle)), DAMAGED],
  ]
  for (const [what, lay, told] of NOT_WHOLE) {
    it(
      `rejects ${what}`,
      onFile(async (path) => {
        await lay(path)
        const { ok, detail } = finding(path, 'store')
        expect(ok).to.equal(false)
        expect(detail).to.match(told)
      }),
    )
  }
})

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

const PAGE_BYTES = 4_096

const spoil = async (path: string, how: (bytes: Buffer, middle: number) => Buffer): Promise<void> => {
  const store = sqliteStore(path)
  await commitAll(store, ...Array.from({ length: 200 }, () => change(issuedToken())))
  await store.close()
  const bytes = readFileSync(path)
  writeFileSync(path, how(bytes, Math.floor(bytes.length / PAGE_BYTES / 2) * PAGE_BYTES))
}

const finding = (path: string, name: string): Finding => {
  const found = inspectSqlite(path).filter((each) => each.name === name)
  expect(found, name).to.have.length(1)
  return found[0] ?? { name, ok: false, detail: '' }
}

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
