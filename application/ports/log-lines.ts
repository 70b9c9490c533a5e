import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { LogEntry } from './log-entry.ts'
import type { StoreUnavailable } from './store.ts'

/**
 * The event log as lines that never change.
 *
 * A line is the JSON that `events list --json` prints for the entry, without line feed. It is made of the stored columns, with
 * `data` exactly as stored. Nothing is decoded, so an entry of a type that this version does not know has a line too. All
 * stores return the same line for the same entry, for ever: signed checkpoints cover these bytes.
 */
export interface LogLines {
  /** Returns at most `limit` lines with a position above `after`, ascending. */
  readLines(query: LineQuery): TaskEither<StoreUnavailable, ReadonlyArray<LogLine>>
}

/** `withEntries`: the caller needs the entries, too. A store may bring none: the caller then uses `readEvents`. */
export type LineQuery = Readonly<{ after: number; limit: number; withEntries?: boolean }>

/**
 * `bytes` is the line in UTF-8. `entry` is what `readEvents` returns for it, from the same read. It is absent if `readEvents` would
 * refuse it, or if the store brings none.
 */
export type LogLine = Readonly<{ position: number; bytes: Uint8Array; entry?: LogEntry }>
