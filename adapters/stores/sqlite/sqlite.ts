import type { Clock } from '../../../application/ports/environment.ts'
import type { FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { ServerNotes } from '../../../application/ports/server-notes.ts'
import type { Store } from '../../../application/ports/store.ts'
import { sqliteFailureCounts } from './failure-counts.ts'
import { sqliteServerNotes } from './server-notes.ts'
import { type SqliteStoreOptions, sqliteStore } from './store.ts'

export { backUpSqlite } from './back-up.ts'
export { inspectSqlite } from './inspect.ts'

/**
 * The store in a SQLite file, with the notes of its servers. Its failure counts are in the same file, unless it is opened read-only.
 *
 * @param countsOpen when the failure counts open their connection. At the start, a service finds out that it cannot open the file. A
 *   command that never counts needs no connection
 * @throws Error with one sentence for operators when the file cannot be used
 */
export const sqliteStorage = async ({
  path,
  clock,
  countsOpen,
  ...options
}: SqliteStoreOptions &
  Readonly<{ path: string; clock: Clock; countsOpen: 'at start' | 'when needed' }>): Promise<
  Readonly<{ store: Store; failureCounts?: FailureCounts; serverNotes: ServerNotes }>
> => {
  const store = sqliteStore(path, options)
  const serverNotes = sqliteServerNotes(path)
  if (options.opening === 'read-only') return { store, serverNotes }
  const failureCounts = sqliteFailureCounts(path, clock)
  try {
    if (countsOpen === 'at start') failureCounts.open()
  } catch (error) {
    await store.close()
    throw error
  }
  return { store, serverNotes, failureCounts }
}
