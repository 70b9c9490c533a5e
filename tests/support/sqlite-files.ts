import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteFailureCounts } from '../../adapters/sqlite/failure-counts.ts'
import { sqliteStore } from '../../adapters/sqlite/store.ts'
import { contents, withRaw } from '../sqlite/raw.ts'
import type { Contents, Place, StoreKind } from './store-kind.ts'

const pathOf = (url: string): string => url.slice('sqlite:'.length)

const layOutFile = async (): Promise<Place> => {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-store-'))
  return {
    url: `sqlite:${join(folder, 'store.db')}`,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

const spoilFile = (path: string, statements: ReadonlyArray<string>): void =>
  withRaw(path, (db) => {
    for (const name of ['log_no_update', 'log_no_delete']) db.exec(`DROP TRIGGER IF EXISTS ${name}`)
    for (const statement of statements)
      if (db.prepare(statement).run().changes === 0) throw new Error(`it changed nothing: ${statement}`)
  })

/** Each in a folder of its own. */
export const sqliteFiles: StoreKind = {
  name: 'SQLite',
  isShared: true,
  layOut: layOutFile,
  openStore: async (url) => sqliteStore(pathOf(url)),
  openFailureCounts: async (url, clock, keptAtMost) => sqliteFailureCounts(pathOf(url), clock, keptAtMost),
  contents: async (url) => contents(pathOf(url)) as Contents,
  spoil: async (url, ...statements) => spoilFile(pathOf(url), statements),
  copy: async (url) => {
    const place = await layOutFile()
    await copyFile(pathOf(url), pathOf(place.url))
    return place
  },
}
