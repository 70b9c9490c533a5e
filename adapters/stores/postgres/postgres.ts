import type { Storage, StorageOptions } from '../../../application/ports/storage.ts'
import { announceKeys } from './announcements.ts'
import { connectionsTo } from './connections.ts'
import { type Database, openDatabase } from './database.ts'
import { postgresFailureCounts } from './failure-counts.ts'
import { inspectPostgres } from './inspect.ts'
import { postgresOutbox } from './outbox.ts'
import { postgresProtocolState } from './protocol-state.ts'
import { watchingRoom } from './room.ts'
import { postgresServerNotes } from './server-notes.ts'
import { postgresStore } from './store.ts'
import { withStoreCopy } from './store-copy.ts'

export { postgresAnnouncements } from './announcements.ts'

/** Opens, inspects and copies the store in a PostgreSQL database. */
export const postgres = (database: Database, poolSize: number) => ({
  /**
   * The store, with the notes of its servers and its copies. Its failure counts are in the same database, unless it is opened read-only. The other
   * instances hear of new signing keys.
   *
   * @throws Error with one sentence for operators when the database cannot be used
   */
  open: async ({
    opening,
    clock,
    onCommitted,
    onServerRefused,
  }: Required<StorageOptions>): Promise<Storage> => {
    await openDatabase(database, { opening })
    const opened = connectionsTo(database.url, poolSize, { onServerRefused })
    const { connections, expectRoom } = watchingRoom(opened)
    const onKeysChanged = () => announceKeys(connections)
    const store = postgresStore(connections, { onKeysChanged, onCommitted, expectRoom })
    const serverNotes = postgresServerNotes(connections)
    const outbox = postgresOutbox(connections)
    const protocolState = postgresProtocolState(connections)
    const storage = { ...withStoreCopy(database.url, connections, store), outbox, protocolState, serverNotes }
    return opening === 'read-only'
      ? storage
      : { ...storage, failureCounts: postgresFailureCounts(connections, clock) }
  },

  expectStore: () => openDatabase(database, { opening: 'existing' }),

  inspect: (directUrl: string | undefined) => inspectPostgres(database, poolSize, directUrl),

  /**
   * Refuses: PostgreSQL has its own back-up tools.
   *
   * @throws Error with one sentence for operators
   */
  backUp: (): never => {
    throw new Error(`The store ${database.place} is in PostgreSQL. Back it up with pg_dump or WAL archiving.`)
  },
})
