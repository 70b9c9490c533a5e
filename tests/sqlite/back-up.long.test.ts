import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'chai'
import { backUpSqlite } from '../../adapters/stores/sqlite/back-up.ts'
import { inspectSqlite } from '../../adapters/stores/sqlite/inspect.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { eventually } from '../support/eventually.ts'
import {
  aUser,
  change,
  createdKey,
  registered,
  registeredApplication,
  signedIn,
} from '../testkit/builders.ts'
import { commitAll, commitAtOnce, tally, wholeLog } from '../testkit/outcome.ts'
import { startProcess } from './another-process.ts'
import { inFolder } from './folder.ts'
import { contents, withRaw } from './raw.ts'

/** A test with a store path that does not exist yet, and a path for the copy in another folder. */
const withPlaces = (test: (path: string, to: string) => Promise<void>): (() => Promise<void>) =>
  inFolder((folder) => {
    mkdirSync(join(folder, 'copies'))
    return test(join(folder, 'store.db'), join(folder, 'copies', 'copy.db'))
  })

const A_CHANGE = () => change(registeredApplication(), registered(), signedIn(), createdKey())

describe('a back-up of a SQLite file', () => {
  it(
    'is one complete private file that opens as a store',
    withPlaces(async (path, to) => {
      const store = sqliteStore(path)
      await commitAll(store, A_CHANGE(), A_CHANGE())
      backUpSqlite(path, to)
      expect(readdirSync(dirname(to))).to.deep.equal(['copy.db'])
      expect(statSync(to).mode & 0o777).to.equal(0o600)
      expect(inspectSqlite(to).map(({ ok }) => ok)).to.deep.equal([true, true, true])
      const copied = contents(to)
      expect(copied).to.deep.equal(contents(path))
      expect(copied.log).to.have.length(8)

      const copy = sqliteStore(to)
      await commitAll(copy, A_CHANGE())
      expect(await wholeLog(copy)).to.have.length(8 + 1 + 4)
      expect(await wholeLog(store)).to.have.length(8)
      await Promise.all([copy.close(), store.close()])
    }),
  )

  it(
    'does not wait for an open transaction and leaves out its changes',
    withPlaces(async (path, to) => {
      const store = sqliteStore(path)
      await commitAll(store, A_CHANGE())
      const writer = new Database(path)
      writer.exec("BEGIN IMMEDIATE; UPDATE users SET email = 'half'")
      backUpSqlite(path, to)
      writer.exec('COMMIT')
      writer.close()
      expect(withRaw(to, (db) => db.prepare('SELECT email FROM users').pluck().all())).to.not.include('half')
      expect(withRaw(path, (db) => db.prepare('SELECT email FROM users').pluck().all())).to.include('half')
      await store.close()
    }),
  )

  it(
    'is a consistent snapshot while another process writes, and blocks no write',
    withPlaces(async (path, to) => {
      const writer = await startProcess()
      await sqliteStore(path).close()
      let isWriting = true
      const written = writer.ask({ act: 'commit', path, changes: 4_000, keyId: 'user-1' }).finally(() => {
        isWriting = false
      })
      let last: ReadonlyArray<unknown> = []
      while (isWriting) {
        const before = contents(path).log
        backUpSqlite(path, to)
        const { log } = contents(to)
        expect(log.slice(0, before.length), 'all entries from before the start').to.deep.equal(before)
        expect(log.length % 2 === 0 || log.length === 8_001, 'no half of a change').to.equal(true)
        last = log
        rmSync(to)
        await new Promise(setImmediate)
      }
      expect((await written).acknowledged).to.have.length(4_000)
      expect(contents(path).log.slice(0, last.length)).to.deep.equal(last)
      await writer.end()
    }),
  ).timeout(60_000)

  it(
    'that is killed leaves no file under the target name, and the next back-up to that name is complete',
    withPlaces(async (path, to) => {
      await layMebibytes(path, 40)
      const doomed = await startProcess()
      doomed.begin({ act: 'back up', path, to })
      await eventually('it has started', async () => bytesIn(dirname(to)) || undefined)
      await doomed.kill()
      expect(existsSync(to)).to.equal(false)
      expect(readdirSync(dirname(to)).join(), 'it had not finished').to.include('.partial')

      backUpSqlite(path, to)
      expect(contents(to)).to.deep.equal(contents(path))
    }),
  ).timeout(60_000)

  it(
    'to one target name succeeds for one of two concurrent processes, and never copies a partial file',
    withPlaces(async (path, to) => {
      await layMebibytes(path, 40)
      const [first, second] = await Promise.all([startProcess(), startProcess()])
      try {
        const firstDone = first.ask({ act: 'back up', path, to })
        await eventually('the first has started', async () => bytesIn(dirname(to)) || undefined)
        first.pause()
        const known = new Set(filesIn(dirname(to)).map(({ ino }) => ino))
        const secondDone = second.ask({ act: 'back up', path, to })
        const begun = eventually('the second has started', async () =>
          filesIn(dirname(to)).find(({ ino, size }) => !known.has(ino) && size > 0),
        )
        await Promise.race([begun, secondDone])
        second.pause()
        first.goOn()
        await firstDone
        if (existsSync(to)) expect(contents(to)).to.deep.equal(contents(path))
        second.goOn()
        const outcomes = [(await firstDone).outcome, (await secondDone).outcome]
        expect(outcomes.filter((outcome) => outcome === 'copied')).to.have.length(1)
        expect(contents(to)).to.deep.equal(contents(path))
      } finally {
        await Promise.all([first.kill(), second.kill()])
      }
    }),
  ).timeout(60_000)
})

type Refused = Readonly<{ what: string; lay: (path: string, to: string) => unknown; sentence: RegExp }>

const OTHERS = /^\S+store\.db is not a store of Portcullis\. Check DATABASE_URL\.$/
const EXISTS = /^\S+copy\.db already exists\. Name a new file: a back-up overwrites nothing\.$/
const cannot = (reason: string) =>
  new RegExp(
    `^The store \\S+store\\.db cannot be copied to \\S+copy\\.db: ${reason}\\. Check both paths and the disk\\.$`,
  )

const REFUSED: ReadonlyArray<Refused> = [
  {
    what: 'overwriting a file',
    lay: (_, to) => writeFileSync(to, 'a back-up of before'),
    sentence: EXISTS,
  },
  { what: 'overwriting an empty file', lay: (_, to) => writeFileSync(to, ''), sentence: EXISTS },
  { what: 'overwriting a folder', lay: (_, to) => mkdirSync(to), sentence: EXISTS },
  { what: 'overwriting a dangling link', lay: (_, to) => symlinkSync('nowhere', to), sentence: EXISTS },
  {
    what: 'copying a store that does not exist',
    lay: (path) => rmSync(path),
    sentence: /^There is no store \S+store\.db\. Check DATABASE_URL\.$/,
  },
  {
    what: "to copy another program's database",
    lay: (path) => {
      rmSync(path)
      withRaw(path, (db) => db.exec('CREATE TABLE bookmarks (url TEXT); PRAGMA application_id = 77'))
    },
    sentence: OTHERS,
  },
  { what: 'copying an empty file', lay: (path) => writeFileSync(path, ''), sentence: OTHERS },
  {
    what: 'copying a text file',
    lay: (path) => writeFileSync(path, 'PORT=8080\n'.repeat(1_000)),
    sentence: cannot('SQLITE_NOTADB'),
  },
  {
    what: 'writing into a folder that does not exist',
    lay: (_, to) => rmSync(dirname(to), { recursive: true }),
    sentence: /^There is no folder \S+\. Create it, or name a file in another one\.$/,
  },
  {
    what: 'writing below a file',
    lay: (_, to) => {
      rmSync(dirname(to), { recursive: true })
      writeFileSync(dirname(to), '')
    },
    sentence: /^\S+ is not a folder\. Name a file in another one\.$/,
  },
]

describe('a back-up refuses with one sentence, changes no file and leaves none behind:', () => {
  for (const { what, lay, sentence } of REFUSED) {
    it(
      what,
      withPlaces(async (path, to) => {
        await sqliteStore(path).close()
        lay(path, to)
        const before = everythingIn(dirname(path))
        expect(messageOf(() => backUpSqlite(path, to))).to.match(sentence)
        expect(everythingIn(dirname(path))).to.deep.equal(before)
      }),
    )
  }

  const MAY_WRITE_EVERYWHERE = process.getuid?.() === 0
  const why = MAY_WRITE_EVERYWHERE ? ' (skipped: root may write everywhere)' : ''
  const itUnlessRoot = MAY_WRITE_EVERYWHERE ? it.skip : it
  itUnlessRoot(
    `writing into a read-only folder${why}`,
    withPlaces(async (path, to) => {
      await sqliteStore(path).close()
      chmodSync(dirname(to), 0o500)
      expect(messageOf(() => backUpSqlite(path, to))).to.equal(
        `This user may not write to the folder ${dirname(to)}. Change its owner or mode, or name a file in another one.`,
      )
      expect(readdirSync(dirname(to))).to.deep.equal([])
    }),
  )
})

const MIB = 1024 * 1024

const layMebibytes = async (path: string, count: number): Promise<void> => {
  const store = sqliteStore(path)
  const passwordRecord = 'x'.repeat(MIB)
  const changes = Array.from({ length: count }, () => change(registered(aUser({ passwordRecord }))))
  expect(tally(await commitAtOnce(store, changes))).to.deep.equal({ success: count })
  await store.close()
}

const filesIn = (folder: string): ReadonlyArray<Stats> =>
  readdirSync(folder).flatMap((name) => statSync(join(folder, name), { throwIfNoEntry: false }) ?? [])

const bytesIn = (folder: string): number => filesIn(folder).reduce((sum, { size }) => sum + size, 0)

/** All files below a folder, with their bytes. */
const everythingIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
      const file = join(entry.parentPath, entry.name)
      return [file, entry.isFile() ? readFileSync(file, 'base64') : 'no file']
    }),
  )

const messageOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return 'it was copied'
}
