import type { Clock } from '../../../application/ports/environment.ts'
import type { FailureCounts } from '../../../application/ports/failure-counts.ts'
import type { ServerNotes } from '../../../application/ports/server-notes.ts'
import type { Store } from '../../../application/ports/store.ts'
import { announceKeys } from './announcements.ts'
import { connectionsTo } from './connections.ts'
import { type Database, type Opening, openDatabase } from './database.ts'
import { postgresFailureCounts } from './failure-counts.ts'
import { postgresServerNotes } from './server-notes.ts'
import { postgresStore } from './store.ts'

export { postgresAnnouncements } from './announcements.ts'
export { inspectPostgres } from './inspect.ts'

/**
 * The store in a PostgreSQL database, with the notes of its servers. Its failure counts are in the same database, unless it is
 * opened read-only. The other instances hear of new signing keys.
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
}>): Promise<Readonly<{ store: Store; failureCounts?: FailureCounts; serverNotes: ServerNotes }>> => {
  await openDatabase(database, { opening })
  const connections = connectionsTo(database.url, poolSize)
  const onKeysChanged = () => announceKeys(connections)
  const store = postgresStore(connections, { onKeysChanged, onCommitted })
  const serverNotes = postgresServerNotes(connections)
  return opening === 'read-only'
    ? { store, serverNotes }
    : { store, serverNotes, failureCounts: postgresFailureCounts(connections, clock) }
}

/**
 * Refuses: PostgreSQL has its own back-up tools.
 *
 * @throws Error with one sentence for operators
 */
export const backUpPostgres = ({ place }: Database): never => {
  throw new Error(`The store ${place} is in PostgreSQL. Back it up with pg_dump or WAL archiving.`)
}
