import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sqliteStore } from '../../adapters/sqlite/store.ts'
import { change, issuedToken } from '../contracts/builders.ts'
import { commitAll } from '../contracts/outcome.ts'
import { inFolder } from './folder.ts'

/** The file holds signing keys, so only its owner may read it. */
describe('the modes of a SQLite file', () => {
  let umask = 0
  // With a umask that forbids nothing, what is forbidden is the store's own doing.
  before(() => {
    umask = process.umask(0)
  })
  after(() => {
    process.umask(umask)
  })

  it(
    'a new file is 0600, what SQLite lays beside it too, in a folder that is 0700',
    inFolder(async (folder) => {
      const path = join(folder, 'made', 'for', 'store.db')
      const store = sqliteStore(path)
      await commitAll(store, change(issuedToken()))
      expect(modes(path, `${path}-wal`, `${path}-shm`)).to.deep.equal(['600', '600', '600'])
      expect(modes(join(folder, 'made'), join(folder, 'made', 'for'))).to.deep.equal(['700', '700'])
      await store.close()
    }),
  )

  it(
    'a folder that was there keeps its mode',
    inFolder(async (folder) => {
      const shared = join(folder, 'shared')
      mkdirSync(shared, { mode: 0o755 })
      await sqliteStore(join(shared, 'store.db')).close()
      expect(modes(shared, join(shared, 'store.db'))).to.deep.equal(['755', '600'])
    }),
  )

  it(
    'a file that others may read is tightened, and what lies beside it',
    inFolder(async (folder) => {
      const path = join(folder, 'store.db')
      const files = [path, `${path}-wal`, `${path}-shm`]
      const first = sqliteStore(path)
      await commitAll(first, change(issuedToken()))
      for (const file of files) chmodSync(file, 0o664)
      const second = sqliteStore(path)
      expect(modes(...files)).to.deep.equal(['600', '600', '600'])
      await first.close()
      await second.close()
    }),
  )
})

const modes = (...paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.map((path) => (statSync(path).mode & 0o777).toString(8))
