import type { Clock } from '../../../application/ports/environment.ts'
import type { FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { Store } from '../../../application/ports/store.ts'
import { sqliteFailureCounts } from './failure-counts.ts'
import { type SqliteStoreOptions, sqliteStore } from './store.ts'

/**
 * The store in a SQLite file, and its failure counts in the same file unless it is opened read-only.
 *
 * @throws Error with one sentence for operators when the file cannot be used
 */
export const sqliteStorage = ({
  path,
  clock,
  ...options
}: SqliteStoreOptions & Readonly<{ path: string; clock: Clock }>): Readonly<{
  store: Store
  failureCounts?: FailureCounts
}> => {
  const store = sqliteStore(path, options)
  return options.opening === 'read-only'
    ? { store }
    : { store, failureCounts: sqliteFailureCounts(path, clock) }
}
