import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Store, StoreUnavailable } from './store.ts'

/**
 * The event log as lines that never change: an optional port of a store, which makes its history verifiable.
 *
 * A line is the JSON that `events list --json` prints for the entry, without line feed. It is made of the stored columns, with
 * `data` exactly as stored. Nothing is decoded, so an entry of a type that this version does not know has a line too. All
 * stores return the same line for the same entry, for ever: signed checkpoints cover these bytes.
 */
export interface LogLines {
  /** Returns at most `limit` lines with a position above `after`, ascending. */
  readLines(
    query: Readonly<{ after: number; limit: number }>,
  ): TaskEither<StoreUnavailable, ReadonlyArray<LogLine>>
}

/** The lines of a store, or undefined if the store does not implement the port. */
export const linesOf = (store: Store & Partial<LogLines>): LogLines | undefined =>
  hasLines(store) ? { readLines: (query) => store.readLines(query) } : undefined

const hasLines = (store: Store & Partial<LogLines>): store is Store & LogLines =>
  store.readLines !== undefined

/** `bytes` is the line in UTF-8. */
export type LogLine = Readonly<{ position: number; bytes: Uint8Array }>
