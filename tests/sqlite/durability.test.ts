import { expect } from 'chai'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { succeed } from '../support/outcome.ts'
import {
  anApplication,
  aSession,
  aUser,
  change,
  changedPassword,
  createdKey,
  registered,
  registeredApplication,
  signedIn,
} from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { startProcess } from './another-process.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'

describe('an acknowledged commit to SQLite', () => {
  it(
    'is synchronized to a write-ahead log',
    onFile(async (path) => {
      const db = openDatabase(path)
      const FULL = 2 // https://www.sqlite.org/pragma.html#pragma_synchronous
      expect(db.pragma('synchronous', { simple: true })).to.equal(FULL)
      expect(withRaw(path, (other) => other.pragma('journal_mode', { simple: true }))).to.equal('wal')
      db.close()
    }),
  )

  it(
    'leaves no former page in a temporary file',
    onFile(async (path) => {
      const db = openDatabase(path)
      const MEMORY = 2 // https://www.sqlite.org/pragma.html#pragma_temp_store
      expect(db.pragma('temp_store', { simple: true })).to.equal(MEMORY)
      db.close()
    }),
  )

  it(
    'is synchronized to a write-ahead log after another program disabled it',
    onFile(async (path) => {
      openDatabase(path).close()
      withRaw(path, (db) => db.pragma('journal_mode = DELETE'))
      openDatabase(path).close()
      expect(withRaw(path, (db) => db.pragma('journal_mode', { simple: true }))).to.equal('wal')
    }),
  )

  it(
    'is in the log and the rows after the file is reopened',
    onFile(async (path) => {
      const application = anApplication()
      const user = aUser()
      const session = aSession({ userId: user.id })
      const before = sqliteStore(path)
      await commitAll(
        before,
        change(registeredApplication(application), createdKey()),
        change(registered(user), signedIn(session)),
        change(changedPassword(user, session)),
      )
      const read = async (store: typeof before) => ({
        application: await succeed(store.findApplication(application.id)),
        session: await succeed(store.findSession(session.id)),
        keys: await succeed(store.listSigningKeys()),
        log: await succeed(store.readEvents({ after: 0, limit: 100 })),
      })
      const written = await read(before)
      await before.close()

      const after = sqliteStore(path)
      expect(written.log).to.have.length(5)
      expect(await read(after)).to.deep.equal(written)
      await commitAll(after, change(registered()))
      expect((await read(after)).log.at(-1)?.position).to.equal(6)
      await after.close()
    }),
  )

  it(
    'survives kill -9 of the process that wrote it',
    onFile(async (path) => {
      const process = await startProcess()
      const reports = await process.askLast({
        act: 'commit and die',
        path,
        changes: 1_000,
        acknowledged: 300,
      })
      const acknowledged = reports.flatMap((report) => report.acknowledged)
      expect(acknowledged).to.not.have.length(0)

      const store = sqliteStore(path)
      const log = await succeed(store.readEvents({ after: 0, limit: 10_000 }))
      expect(log.map(({ id }) => id)).to.include.members(acknowledged)
      expect(log.map(({ position }) => position)).to.deep.equal(log.map((_, index) => index + 1))
      expect(log.length % 2, 'each change has two events').to.equal(0)
      await store.close()
      expect(contents(path).log).to.have.length(log.length)
    }),
  ).timeout(20_000)
})
