import type { Clock } from './environment.ts'
import type { FailureCounts } from './failure-counts.ts'
import type { Outbox } from './outbox.ts'
import type { ProtocolState } from './protocol-state.ts'
import type { ServerNotes } from './server-notes.ts'
import type { Store } from './store.ts'
import type { StoreCopy } from './store-copy.ts'

/**
 * A store and its failure counts. Without `failureCounts`, the service counts failures in memory. Without `serverNotes`, `doctor`
 * cannot compare its settings with those of the running servers. Without `storeCopy`, `store copy` refuses it. Without
 * `outbox`, the service sends no mail. Without `protocolState`, it is no OpenID provider.
 *
 * The testkit has no contract for this type: its parts have their own.
 */
export type Storage = Readonly<{
  store: Store
  failureCounts?: FailureCounts
  serverNotes?: ServerNotes
  storeCopy?: StoreCopy
  outbox?: Outbox
  protocolState?: ProtocolState
}>

/**
 * How to open a store. `migrate` creates it, or updates it to the schema of this version. `existing` does the same, but fails if
 * there is no store. `read-only` changes neither schema nor files. `copy-target` is like `migrate`, but a store that it creates is the
 * incomplete target of a copy from its first moment, so that no service takes it for a new store if the copy never begins.
 */
export type StoreOpening = 'migrate' | 'existing' | 'read-only' | 'copy-target'

/** How to open the standard storage. */
export type StorageOptions = Readonly<{
  /** Ends failure counts. */
  clock: Clock
  /** By default, the store is created, or updated to the schema of this version. */
  opening?: StoreOpening
  /**
   * When the failure counts in SQLite open their connection. `at start` is the default, so that a service that cannot open it does not
   * start. With `when needed`, a command that never counts opens none.
   */
  countsOpen?: 'at start' | 'when needed'
  /** Receives the number of changes in each transaction. */
  onCommitted?: (changes: number) => void
  /**
   * Receives a reason when the store refuses its database server because another one has replaced it, and undefined when it accepts
   * one again.
   */
  onServerRefused?: (reason: string | undefined) => void
}>
