import { right } from 'fp-ts/lib/Either.js'
import { NOTES_AT_MOST, type ServerNote, type ServerNotes } from '../../../application/ports/server-notes.ts'

/** Notes of servers in the memory of the process. */
export const memoryServerNotes = (): ServerNotes => {
  let notes: ReadonlyArray<ServerNote> = []
  return {
    write: (note) => async () => {
      notes = [note, ...notes.filter(({ id }) => id !== note.id)]
        .sort((one, other) => other.seenAt - one.seenAt)
        .slice(0, NOTES_AT_MOST)
      return right(undefined)
    },
    remove: (id) => async () => {
      notes = notes.filter((note) => note.id !== id)
    },
    list: async () => right(notes),
  }
}
