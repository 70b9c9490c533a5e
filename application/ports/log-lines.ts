import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
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
  readLines(
    query: Readonly<{ after: number; limit: number }>,
  ): TaskEither<StoreUnavailable, ReadonlyArray<LogLine>>
}

/** `bytes` is the line in UTF-8. */
export type LogLine = Readonly<{ position: number; bytes: Uint8Array }>
