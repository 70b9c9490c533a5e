import { chmodSync, mkdirSync, readdirSync, type Stats, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { processWorkplace } from '../support/command.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { inFolder } from './folder.ts'

/** The file holds signing keys. Only its owner may read it. */
describe('the modes of a SQLite file', () => {
  it(
    'are 0600 for new files and 0700 for a new folder',
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
    'are unchanged for an existing folder',
    inFolder(async (folder) => {
      const shared = join(folder, 'shared')
      mkdirSync(shared, { mode: 0o755 })
      await sqliteStore(join(shared, 'store.db')).close()
      expect(modes(shared, join(shared, 'store.db'))).to.deep.equal(['755', '600'])
    }),
  )

  it(
    'are 0600 for the missing file of a link',
    inFolder(async (folder) => {
      symlinkSync(join('elsewhere', 'store.db'), join(folder, 'store.db'))
      await sqliteStore(join(folder, 'store.db')).close()
      expect(modes(join(folder, 'elsewhere'), join(folder, 'elsewhere', 'store.db'))).to.deep.equal([
        '700',
        '600',
      ])
    }),
  )

  it(
    'become 0600 for existing files that others may read',
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

describe('the modes of all files that the commands create', () => {
  // With umask 0, only the program sets the modes.
  const { folder, portcullis, serve, remove } = processWorkplace((commandLine) => [
    'sh',
    '-c',
    'umask 0; exec "$@"',
    'sh',
    ...commandLine,
  ])
  after(remove)

  /** Every existing file and folder with its type and mode. */
  const look = (): ReadonlyArray<readonly [name: string, mode: string]> =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false }) // some files disappear at once
      return found === undefined ? [] : [[name, modeOf(found)] as const]
    })
  const modeOf = (found: Stats): string =>
    `${found.isDirectory() ? 'folder' : 'file'} ${(found.mode & 0o777).toString(8)}`

  it('are 0600 for files and 0700 for folders at every moment', async () => {
    const seen = new Map<string, Set<string>>()
    const note = () => {
      for (const [name, mode] of look()) seen.set(name, (seen.get(name) ?? new Set()).add(mode))
    }
    const noting = setInterval(note, 1)
    const elsewhere = { DATABASE_URL: 'sqlite:made/for/another.db' }
    try {
      const server = await serve('serve --first-run')
      await server.prints('-changed')
      await portcullis('user create --email ada@example.com --password-stdin', { input: 'secret' })
      await portcullis('keys rotate --leaked')
      await portcullis('backup copy.db')
      note()
      await server.end('SIGKILL')
      await portcullis('doctor')
      const again = await serve()
      await portcullis('backup another-copy.db')
      note()
      await again.end()
      await portcullis('application create --name shop', { environment: elsewhere })
      note()
    } finally {
      clearInterval(noting)
    }
    const made = ['data', 'data/portcullis.db', 'data/portcullis.db-shm', 'data/portcullis.db-wal']
    const copies = ['copy.db', 'another-copy.db']
    const key = 'data/key-encryption-key'
    expect([...seen.keys()]).to.include.members([...made, key, ...copies, 'made/for', 'made/for/another.db'])
    for (const [name, found] of seen) {
      expect([...found], name).to.deep.equal([found.has('folder 700') ? 'folder 700' : 'file 600'])
    }
  }).timeout(60_000)
})

const modes = (...paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.map((path) => (statSync(path).mode & 0o777).toString(8))
