import { chmodSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'chai'
import { inspectSqlite } from '../../adapters/stores/sqlite/inspect.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { change, issuedToken, registered } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { withFreeBytes } from './free-space.ts'
import { finding, WHOLE } from './inspected.ts'

const MIB = 1024 * 1024

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

const PAGE_BYTES = 4_096

const spoil = async (path: string, how: (bytes: Buffer, middle: number) => Buffer): Promise<void> => {
  const store = sqliteStore(path)
  await commitAll(store, ...Array.from({ length: 200 }, () => change(issuedToken())))
  await store.close()
  const bytes = readFileSync(path)
  writeFileSync(path, how(bytes, Math.floor(bytes.length / PAGE_BYTES / 2) * PAGE_BYTES))
}
