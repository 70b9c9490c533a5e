import { chain, type Option } from 'fp-ts/lib/Option.js'
import { type Checkpoint, parseCheckpoint } from '../../domain/checkpoint.ts'
import type { Notes } from '../ports/notes.ts'

/**
 * Returns the checkpoint of a note that its origin has signed. The note names the origin itself, and the origin is the name of its
 * keys.
 *
 * @param keysOf returns the verifier keys under a name
 */
export const openCheckpoint = async (
  notes: Pick<Notes, 'open'>,
  note: string,
  keysOf: (name: string) => ReadonlyArray<string>,
): Promise<Option<Checkpoint>> => {
  const origin = note.slice(0, note.indexOf('\n'))
  return chain(parseCheckpoint)(await notes.open(note, keysOf(origin)))
}
