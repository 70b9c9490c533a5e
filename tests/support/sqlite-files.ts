import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sqliteFailureCounts } from '../../adapters/stores/sqlite/failure-counts.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { withStoreCopy } from '../../adapters/stores/sqlite/store-copy.ts'
import { TABLES } from '../../application/ports/store.ts'
import { storeWithFailures } from '../sqlite/failing-statements.ts'
import { contents, withRaw } from '../sqlite/raw.ts'
import { FLEETING_FOLDER } from './fleeting-folder.ts'
import { type Contents, closedWith, type FaultyStore, type Place, type StoreKind } from './store-kind.ts'

const pathOf = (url: string): string => url.slice('sqlite:'.length)

const newFolder = async (): Promise<Place> => {
  const folder = await mkdtemp(join(FLEETING_FOLDER, 'portcullis-store-'))
  return {
    url: `sqlite:${join(folder, 'store.db')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

let migrated: Promise<Buffer> | undefined

/** The file of an empty store. Its migrations take three times as long as opening it. */
const migratedFile = async (): Promise<Buffer> => {
  const { url, remove } = await newFolder()
  await sqliteStore(pathOf(url)).close()
  const bytes = await readFile(pathOf(url))
  await remove()
  return bytes
}

/** An empty store with its own epoch, like one that was migrated here. */
const layOutFile = async (): Promise<Place> => {
  migrated ??= migratedFile()
  const place = await newFolder()
  await writeFile(pathOf(place.url), await migrated, { mode: 0o600 })
  withRaw(pathOf(place.url), (db) => {
    db.pragma('synchronous = OFF')
    db.exec('UPDATE log_epoch SET epoch = lower(hex(randomblob(4)))')
  })
  return place
}

const spoilFile = (path: string, statements: ReadonlyArray<string>): void =>
  withRaw(path, (db) => {
    for (const name of ['log_no_update', 'log_no_delete']) db.exec(`DROP TRIGGER IF EXISTS ${name}`)
    for (const statement of statements)
      if (db.prepare(statement).run().changes === 0) throw new Error(`it changed nothing: ${statement}`)
  })

/** Its tables are missing from the file for a time. A COMMIT succeeds and reports a failed synchronization. */
const faultyFile = async (path: string): Promise<FaultyStore> => {
  const { store, next } = storeWithFailures(path)
  const rename = (toName: (table: string) => readonly [from: string, to: string]) =>
    withRaw(path, (db) => {
      for (const [from, to] of RENAMED.map(toName)) db.exec(`ALTER TABLE ${from} RENAME TO ${to}`)
    })
  let isGone = false
  return {
    store,
    fail: async () => {
      rename((table) => [table, `${table}_gone`])
      isGone = true
    },
    loseAnswer: async () => next({ sql: 'COMMIT', when: 'after', code: 'SQLITE_IOERR_FSYNC' }),
    mend: async () => {
      if (isGone) rename((table) => [`${table}_gone`, table])
      return store
    },
  }
}

const RENAMED = ['log', ...TABLES]

/** Each in a separate folder. */
export const sqliteFiles: StoreKind = {
  name: 'SQLite',
  isShared: true,
  layOut: layOutFile,
  openStore: async (url) => sqliteStore(pathOf(url)),
  openCopyable: async (url) => {
    const { outbox, protocolState, ...store } = sqliteStore(pathOf(url))
    return { ...withStoreCopy(pathOf(url), store, 'migrate'), outbox, protocolState }
  },
  openFaulty: (url) => faultyFile(pathOf(url)),
  openFailureCounts: async (url, clock, keptAtMost) => sqliteFailureCounts(pathOf(url), clock, keptAtMost),
  openProtocolState: async (url, entriesKeptAtMost) => {
    const { protocolState, close } = sqliteStore(pathOf(url), { entriesKeptAtMost })
    return closedWith(protocolState, close)
  },
  contents: async (url) => contents(pathOf(url)) as unknown as Contents,
  spoil: async (url, ...statements) => spoilFile(pathOf(url), statements),
  copy: async (url) => {
    const place = await newFolder()
    await copyFile(pathOf(url), pathOf(place.url))
    return place
  },
}
