import type { Storage, StorageOptions } from '../../../application/ports/storage.ts'
import { backUpSqlite } from './back-up.ts'
import { openDatabase } from './database.ts'
import { withoutLinks } from './database-file.ts'
import { sqliteFailureCounts } from './failure-counts.ts'
import { inspectSqlite } from './inspect.ts'
import { sqliteServerNotes } from './server-notes.ts'
import { sqliteStore } from './store.ts'
import { withStoreCopy } from './store-copy.ts'
import { writabilityOf } from './writability.ts'

// The same module: each import() splits the bundle, and a service would load one file more.
export { sqliteReadModel } from './read-model.ts'

/**
 * Opens, inspects and copies the store in a SQLite file.
 *
 * @param named may be a symbolic link
 * @throws UnusableFile if it leads in a circle
 */
export const sqlite = (named: string) => atPath(withoutLinks(named))

const atPath = (path: string) => ({
  /**
   * The store, with the notes of its servers and its copies. Its failure counts are in the same file, unless it is opened read-only.
   *
   * @throws Error with one sentence for operators when the file cannot be used
   */
  open: async ({ clock, countsOpen, ...options }: Required<StorageOptions>): Promise<Storage> => {
    const writability = writabilityOf(path)
    const { outbox, protocolState, ...opened } = sqliteStore(path, { ...options, writability, clock })
    const { store, storeCopy } = withStoreCopy(path, opened, options.opening)
    const storage = { store, storeCopy, outbox, protocolState, serverNotes: sqliteServerNotes(path) }
    if (options.opening === 'read-only') return storage
    const failureCounts = sqliteFailureCounts(path, clock, undefined, writability.failed)
    try {
      if (countsOpen === 'at start') failureCounts.open()
    } catch (error) {
      await store.close()
      throw error
    }
    return { ...storage, failureCounts }
  },

  expectStore: () => {
    openDatabase(path, { opening: 'existing', isChecked: false }).close()
  },

  inspect: () => inspectSqlite(path),

  backUp: (file: string) => backUpSqlite(path, file),
})
