import type { Option } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/**
 * The files of an exported log, by their paths in C2SP tlog-tiles.
 *
 * The testkit has no contract for this port: programs of others read the files, and the tests verify them with one.
 */
export interface LogFiles {
  /** Returns a tile, or none if it does not exist. */
  read(path: string): TaskEither<FilesUnavailable, Option<Uint8Array>>
  /** Returns the note of the checkpoint, or none if it does not exist. */
  readCheckpoint(): TaskEither<FilesUnavailable, Option<string>>
}

export interface WritableLogFiles extends LogFiles {
  write(path: string, bytes: Uint8Array): TaskEither<FilesUnavailable, void>
  /** Makes everything durable that was written, then replaces the checkpoint. */
  writeCheckpoint(note: string): TaskEither<FilesUnavailable, void>
}

/** `reason` is for operators. */
export type FilesUnavailable = Readonly<{ _tag: 'FilesUnavailable'; reason: string }>
