import { right } from 'fp-ts/lib/Either.js'
import { NOTES_AT_MOST, type ServerNotes } from '../../../application/ports/server-notes.ts'
import { notesIn, rowOfNote } from '../records/server-note.ts'
import { unavailable } from '../records/unavailable.ts'
import type { Connections } from './connections.ts'
import { reasonOf } from './errors.ts'
import { ALONE } from './local-commit.ts'

/** Notes of servers in the database of the store. */
export const postgresServerNotes = ({ read, write }: Pick<Connections, 'read' | 'write'>): ServerNotes => ({
  write: (note) => async () => {
    const { id, name, started_at, seen_at, settings } = rowOfNote(note)
    try {
      await write(WRITE, [id, name, started_at, seen_at, settings])
      await write(REMOVE_OLDEST, [NOTES_AT_MOST])
      return right(undefined)
    } catch (error) {
      return unavailable(reasonOf(error))
    }
  },
  remove: (id) => async () => {
    await write('DELETE FROM portcullis.server_notes WHERE id = $1', [id]).catch(() => {})
  },
  list: async () => {
    try {
      const { rows } = await read(READ, [NOTES_AT_MOST])
      return right(notesIn(rows))
    } catch (error) {
      return unavailable(reasonOf(error))
    }
  },
})

const WRITE = `
  WITH ${ALONE}
  INSERT INTO portcullis.server_notes (id, name, started_at, seen_at, settings)
  SELECT $1, $2, $3, $4, $5 FROM alone
  ON CONFLICT (id) DO UPDATE SET
    name = excluded.name, started_at = excluded.started_at, seen_at = excluded.seen_at, settings = excluded.settings`

/** Skips rows that another instance is writing, so that two instances cannot deadlock. The locks of the others are a write too. */
const REMOVE_OLDEST = `
  WITH ${ALONE}
  DELETE FROM portcullis.server_notes WHERE (SELECT true FROM alone) AND id = ANY (ARRAY
    (SELECT id FROM portcullis.server_notes ORDER BY seen_at DESC OFFSET $1 FOR UPDATE SKIP LOCKED))`

const READ = 'SELECT * FROM portcullis.server_notes ORDER BY seen_at DESC LIMIT $1'
