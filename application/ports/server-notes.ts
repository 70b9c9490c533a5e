import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from './store.ts'

/** What a running server says of itself. It contains no secret. */
export type ServerNote = Readonly<{
  /** Identifies one start of one process. */
  id: string
  /** Where it listens, for operators. */
  name: string
  /** In milliseconds since 1970, like `seenAt`. */
  startedAt: number
  /** When the server last wrote the note. */
  seenAt: number
  /** Its effective public settings by name. */
  settings: Readonly<Record<string, string>>
}>

/**
 * Notes of the running servers, beside the store, so that `doctor` can compare settings. They are no part of the event log, and a
 * power failure may lose the latest ones. No method throws or rejects.
 *
 * The testkit has no contract for this port: it is internal. A storage without it is complete, and `doctor` then compares nothing.
 */
export interface ServerNotes {
  /** Writes the note of a server, or replaces it. Of all notes, the `NOTES_AT_MOST` that were seen last remain. */
  write(note: ServerNote): TaskEither<StoreUnavailable, undefined>

  /** Removes the note of a server that stops. A note that cannot be removed ages. */
  remove(id: string): Task<void>

  /** Returns all readable notes, the one that was seen last first. */
  list: TaskEither<StoreUnavailable, ReadonlyArray<ServerNote>>
}

/** More servers on one store are not compared. */
export const NOTES_AT_MOST = 100
