import type { Clock } from '../../../application/ports/environment.ts'
import type { FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { Store } from '../../../application/ports/store.ts'
import { announceKeys } from './announcements.ts'
import { connectionsTo } from './connections.ts'
import { type Database, type Opening, openDatabase } from './database.ts'
import { postgresFailureCounts } from './failure-counts.ts'
import { postgresStore } from './store.ts'

/**
 * The store in a PostgreSQL database, and its failure counts in the same database unless it is opened read-only. The other
 * instances hear of new signing keys.
 *
 * @throws Error with one sentence for operators when the database cannot be used
 */
export const postgresStorage = async ({
  database,
  poolSize,
  opening,
  clock,
  onCommitted,
}: Readonly<{
  database: Database
  poolSize: number
  opening: Opening
  clock: Clock
  onCommitted: (changes: number) => void
}>): Promise<Readonly<{ store: Store; failureCounts?: FailureCounts }>> => {
  await openDatabase(database, { opening })
  const connections = connectionsTo(database.url, poolSize)
  const onKeysChanged = () => announceKeys(connections)
  const store = postgresStore(connections, { onKeysChanged, onCommitted })
  return opening === 'read-only'
    ? { store }
    : { store, failureCounts: postgresFailureCounts(connections, clock) }
}
