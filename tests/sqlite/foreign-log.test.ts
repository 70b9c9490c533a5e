import { copyFileSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { inspectSqlite } from '../../adapters/stores/sqlite/inspect.ts'
import { sqlite } from '../../adapters/stores/sqlite/sqlite.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { sqliteStoreCopy } from '../../adapters/stores/sqlite/store-copy.ts'
import { fail } from '../support/outcome.ts'
import { change, issuedToken } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { inFolder } from './folder.ts'

/** A back-up that was copied over the store of a killed process, whose other files still lie there. */
const restored = async (folder: string): Promise<string> => {
  const [former, path] = [join(folder, 'former.db'), join(folder, 'store.db')]
  const store = sqliteStore(former)
  await commitAll(store, change(issuedToken()))
  sqlite(former).backUp(join(folder, 'copy.db'))
  await commitAll(store, change(issuedToken()))
  for (const end of ['-wal', '-shm']) copyFileSync(`${former}${end}`, `${path}${end}`)
  await store.close()
  copyFileSync(join(folder, 'copy.db'), path)
  return path
}

const contentOf = (folder: string): Readonly<Record<string, Buffer>> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))

const messageOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    return String(error)
  }
  return 'nothing was thrown'
}

const OPENED: Readonly<Record<string, (path: string) => string | Promise<string>>> = {
  'by a service': (path) => messageOf(() => sqliteStore(path)),
  'by a command that writes': (path) => messageOf(() => sqliteStore(path, { opening: 'existing' })),
  'by a command that reads': (path) => messageOf(() => sqliteStore(path, { opening: 'read-only' })),
  'by doctor': (path) => inspectSqlite(path).find(({ name }) => name === 'store')?.detail ?? '',
  'for a back-up': (path) => messageOf(() => sqlite(path).backUp(join(dirname(path), 'another-copy.db'))),
  'for a copy': async (path) => (await fail(sqliteStoreCopy(path).readContents())).reason,
}

describe('a SQLite file beside the write-ahead log of another one', () => {
  for (const [how, open] of Object.entries(OPENED))
    it(
      `is refused with its name and left unchanged when it is opened ${how}`,
      inFolder(async (folder) => {
        const path = await restored(folder)
        const before = contentOf(folder)
        const said = await open(path)
        expect(said).to.contain(
          `${path}-wal belongs to another database, beside which this file was copied. Move ${path}-wal and ${path}-shm away.`,
        )
        expect(contentOf(folder)).to.deep.equal(before)
      }),
    )

  for (const target of ['a file', 'a link to it'])
    it(
      `is refused, too, through a symbolic link to ${target}`,
      inFolder(async (folder) => {
        const path = await restored(folder)
        symlinkSync('store.db', join(folder, 'link.db'))
        symlinkSync('link.db', join(folder, 'second.db'))
        const before = contentOf(folder)
        const link = sqlite(join(folder, target === 'a file' ? 'link.db' : 'second.db'))
        expect(messageOf(() => link.backUp(join(folder, 'another-copy.db')))).to.contain(
          `Move ${path}-wal and ${path}-shm away.`,
        )
        expect(contentOf(folder)).to.deep.equal(before)
      }),
    )

  it(
    'opens once the log is moved away',
    inFolder(async (folder) => {
      const path = await restored(folder)
      for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`)
      const store = sqliteStore(path)
      expect(await wholeLog(store)).to.have.length(1)
      await store.close()
    }),
  )

  it(
    'is not what a killed process leaves: its log is read',
    inFolder(async (folder) => {
      const [path, left] = [join(folder, 'store.db'), join(folder, 'left.db')]
      const store = sqliteStore(path)
      await commitAll(store, change(issuedToken()))
      for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${left}${end}`)
      await store.close()
      const again = sqliteStore(left)
      expect(await wholeLog(again)).to.have.length(1)
      await again.close()
    }),
  )
})
