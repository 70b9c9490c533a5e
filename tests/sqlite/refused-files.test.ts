import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

type Refused = Readonly<{ name: string; lay: (path: string) => Promise<void> | void; sentence: string }>

const NO_DATABASE =
  'it is not a SQLite database. Restore it from a back-up, or name another file in DATABASE_URL.'
const DAMAGED = 'it is damaged. Restore it from a back-up, or name another file in DATABASE_URL.'

const UNRELEASED =
  'a version before the first release wrote it. Run with that version: portcullis user export users.jsonl. ' +
  'Then name a new store in DATABASE_URL, and run with this version: portcullis application create, and portcullis user import users.jsonl.'

const REFUSED: ReadonlyArray<Refused> = [
  {
    name: 'a text',
    lay: (path) => writeFileSync(path, 'PORT=8080\n'.repeat(1_000)),
    sentence: NO_DATABASE,
  },
  { name: 'a short text', lay: (path) => writeFileSync(path, 'PORT=8080\n'), sentence: NO_DATABASE },
  {
    name: 'a database with garbage in the middle',
    lay: async (path) => {
      await manyEntries(path)
      const bytes = readFileSync(path)
      const middle = Math.floor(bytes.length / PAGE_BYTES / 2) * PAGE_BYTES
      writeFileSync(path, bytes.fill(0xff, middle, middle + PAGE_BYTES))
    },
    sentence: DAMAGED,
  },
  {
    name: 'half a database',
    lay: async (path) => {
      await manyEntries(path)
      const bytes = readFileSync(path)
      writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length / PAGE_BYTES / 2) * PAGE_BYTES))
    },
    sentence: DAMAGED,
  },
  {
    name: "another program's database",
    lay: (path) => withRaw(path, (db) => db.exec('CREATE TABLE bookmarks (url TEXT)')),
    sentence: 'it belongs to another program. Name another file in DATABASE_URL.',
  },
  {
    name: "another program's database that carries that program's mark",
    lay: (path) =>
      withRaw(path, (db) => db.exec('CREATE TABLE bookmarks (url TEXT); PRAGMA application_id = 77')),
    sentence: 'it belongs to another program. Name another file in DATABASE_URL.',
  },
  {
    name: 'the database of a newer version',
    lay: (path) => {
      openDatabase(path).close()
      withRaw(path, (db) => db.pragma('user_version = 99'))
    },
    sentence: 'a newer version of Portcullis wrote it (schema 99). Start that version.',
  },
  {
    name: 'the database of a version before the first release',
    lay: (path) => {
      openDatabase(path).close()
      withRaw(path, (db) => db.exec(`PRAGMA user_version = 23; PRAGMA application_id = ${0x504f5254}`))
    },
    sentence: UNRELEASED,
  },
  {
    name: 'a database that lacks a table',
    lay: (path) => {
      openDatabase(path).close()
      withRaw(path, (db) => db.exec('DROP TABLE sessions'))
    },
    sentence: 'it lacks the table sessions. Restore it from a back-up.',
  },
  {
    name: 'a folder',
    lay: (path) => {
      mkdirSync(path)
    },
    sentence: 'it is a folder. Name a file in DATABASE_URL.',
  },
  {
    name: 'a special file, such as a device or a pipe,',
    lay: (path) => {
      execFileSync('mkfifo', ['-m', '666', path])
      openSync(path, constants.O_RDWR | constants.O_NONBLOCK) // keeps the other end open, otherwise opening it would block forever
    },
    sentence: 'it is not a regular file. Name a file in DATABASE_URL.',
  },
]

const PAGE_BYTES = 4_096

describe('an unusable file is refused with one sentence and left unchanged:', () => {
  for (const { name, lay, sentence } of REFUSED) {
    it(
      name,
      onFile(async (path) => {
        await lay(path)
        const before = statSync(path).isFile() ? readFileSync(path) : undefined
        const { mode } = statSync(path)
        expect(messageOf(() => sqliteStore(path))).to.equal(
          `The database ${path} cannot be used: ${sentence}`,
        )
        if (before !== undefined) expect(readFileSync(path).equals(before)).to.equal(true)
        else expect(statSync(path).mode).to.equal(mode)
        // SQLite removes its side files when the last connection closes.
        expect(readdirSync(dirname(path))).to.deep.equal([basename(path)])
      }),
    )
  }

  it(
    'a missing file, which is not created, when a store must exist',
    onFile(async (path) => {
      const missing = join(dirname(path), 'missing', 'store.db')
      expect(messageOf(() => sqliteStore(missing, { opening: 'existing' }))).to.equal(
        `There is no store ${missing}. Run this command in the folder of the service, or check DATABASE_URL.`,
      )
      expect(existsSync(dirname(missing))).to.equal(false)
    }),
  )

  it(
    'an empty file when a store must exist',
    onFile(async (path) => {
      writeFileSync(path, '')
      expect(messageOf(() => sqliteStore(path, { opening: 'existing' }))).to.equal(
        `The database ${path} cannot be used: it is empty: no service has used it, or a copy was interrupted. Check DATABASE_URL.`,
      )
      expect(readFileSync(path).length).to.equal(0)
      expect(readdirSync(dirname(path))).to.deep.equal([basename(path)])
    }),
  )

  it(
    'a path below a file',
    onFile(async (path) => {
      writeFileSync(path, '')
      const below = join(path, 'store.db')
      expect(messageOf(() => sqliteStore(below))).to.equal(
        `The database ${below} cannot be used: ENOTDIR. Check the file, its folder and the disk, or name another file in DATABASE_URL.`,
      )
    }),
  )

  const MAY_READ_EVERYTHING = process.getuid?.() === 0
  const why = MAY_READ_EVERYTHING ? ' (skipped: root may read and write every file)' : ''
  const itUnlessRoot = MAY_READ_EVERYTHING ? it.skip : it
  for (const [name, mode] of [
    ['an unreadable file', 0o000],
    ['a read-only file', 0o400],
  ] as const) {
    itUnlessRoot(
      `${name}${why}`,
      onFile(async (path) => {
        openDatabase(path).close()
        chmodSync(path, mode)
        expect(messageOf(() => sqliteStore(path))).to.equal(
          `The database ${path} cannot be used: this user may not write it. Change its owner or mode, or name another file in DATABASE_URL.`,
        )
        expect(existsSync(`${path}-wal`)).to.equal(false)
      }),
    )
  }
})

const manyEntries = async (path: string): Promise<void> => {
  const store = sqliteStore(path)
  await commitAll(store, ...Array.from({ length: 200 }, () => change(issuedToken())))
  await store.close()
}

const messageOf = (open: () => unknown): string => {
  try {
    open()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'it was opened'
}
