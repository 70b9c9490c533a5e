import type Database from 'better-sqlite3'
import { right } from 'fp-ts/lib/Either.js'
import { NOTES_AT_MOST, type ServerNotes } from '../../../application/ports/server-notes.ts'
import { notesIn, rowOfNote } from '../records/server-note.ts'
import { unavailable } from '../records/unavailable.ts'
import { hasJournal } from './database.ts'
import { connect } from './driver.ts'
import { reasonOf } from './group-commit.ts'

/**
 * Notes of servers in the SQLite file of the store. A server writes one a minute, so each call has a connection of its own and leaves
 * nothing open.
 */
export const sqliteServerNotes = (path: string): ServerNotes => {
  const withConnection = <A>(readonly: boolean, work: (db: Database.Database) => A) => {
    try {
      const db = connect(path, { readonly, fileMustExist: true, timeout: BUSY_TIMEOUT_MS })
      try {
        // A checkpoint belongs to the store, and a lost note is harmless.
        db.pragma('wal_autocheckpoint = 0')
        db.pragma('synchronous = NORMAL')
        return right(work(db))
      } finally {
        db.close()
      }
    } catch (error) {
      return unavailable(reasonOf(error))
    }
  }

  return {
    write: (note) => async () =>
      withConnection(false, (db) => {
        const write = db.transaction(() => {
          db.prepare(WRITE).run(rowOfNote(note))
          db.prepare(REMOVE_OLDEST).run(NOTES_AT_MOST)
        })
        write.immediate()
        return undefined
      }),
    remove: (id) => async () => {
      withConnection(false, (db) => db.prepare('DELETE FROM server_notes WHERE id = ?').run(id))
    },
    // Without a WAL, a read-only connection would create one.
    list: async () =>
      withConnection(hasJournal(path), (db) => {
        db.pragma('query_only = ON')
        return notesIn(db.prepare('SELECT * FROM server_notes ORDER BY seen_at DESC').all())
      }),
  }
}

/** SQLite waits by blocking the whole process. */
const BUSY_TIMEOUT_MS = 20

const WRITE = `
  INSERT INTO server_notes (id, name, started_at, seen_at, settings)
  VALUES (@id, @name, @started_at, @seen_at, @settings)
  ON CONFLICT (id) DO UPDATE SET
    name = excluded.name, started_at = excluded.started_at, seen_at = excluded.seen_at, settings = excluded.settings`

const REMOVE_OLDEST = `
  DELETE FROM server_notes WHERE id IN (SELECT id FROM server_notes ORDER BY seen_at DESC LIMIT -1 OFFSET ?)`
