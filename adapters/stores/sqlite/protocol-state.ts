import type Database from 'better-sqlite3'
import type * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  ENTRIES_KEPT_AT_MOST,
  PROTOCOL_KINDS,
  type ProtocolKind,
  type ProtocolState,
} from '../../../application/ports/protocol-state.ts'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { closable } from '../records/closable.ts'
import { oneEntry, rowOfEntry } from '../records/protocol-row.ts'
import { preparing } from './preparing.ts'

/** How the store reads and writes. Work is written in the transaction of the changes that wait, and may be done twice. */
type Access = Readonly<{
  read: <A>(query: () => E.Either<StoreUnavailable, A>) => TaskEither<StoreUnavailable, A>
  write: <A>(work: () => A) => TaskEither<StoreUnavailable, A>
}>

/**
 * The protocol state in a SQLite file, on the connection of the store: its entries share the transactions of changes, and are as durable.
 *
 * @param keptAtMost the number of entries of each kind, which may be exceeded by `WRITES_BETWEEN` in each process
 */
export const sqliteProtocolState = (
  db: Database.Database,
  { read, write }: Access,
  keptAtMost = ENTRIES_KEPT_AT_MOST,
): ProtocolState => {
  const statement = preparing(db)
  const { unlessClosed, close } = closable()
  const sinceTidied = new Map<ProtocolKind, number>()

  /** Counting reads the index of the whole kind, so it is rare. */
  const tidy = (kind: ProtocolKind): void => {
    const most = keptAtMost[kind]
    if (most === Number.POSITIVE_INFINITY) return
    const writes = (sinceTidied.get(kind) ?? 0) + 1
    sinceTidied.set(kind, writes)
    if (writes < Math.min(WRITES_BETWEEN, most / 10)) return
    sinceTidied.delete(kind)
    const { entries } = statement(COUNT_OF_KIND).get(kind) as Readonly<{ entries: number }> // it always has a row
    if (entries > most) statement(REMOVE_FIRST).run(kind, Math.min(entries - most, REMOVED_AT_ONCE))
  }

  const removeSome = (sessionId: string): TaskEither<StoreUnavailable, void> =>
    pipe(
      write(() => statement(REMOVE_OF_SESSION).run(sessionId, REMOVED_AT_ONCE).changes),
      TE.chain((removed) => (removed < REMOVED_AT_ONCE ? TE.right(undefined) : removeSome(sessionId))),
    )

  return {
    put: (entry) =>
      unlessClosed(
        write(() => {
          statement(PUT).run(rowOfEntry(entry))
          tidy(entry.kind)
        }),
      ),
    find: (kind, id) => unlessClosed(read(() => oneEntry(statement(FIND).get(kind, id)))),
    consume: (kind, id, atSeconds) =>
      unlessClosed(write(() => statement(CONSUME).run(atSeconds, kind, id).changes === 1)),
    replace: (kind, id, { atSeconds, keptUntilSeconds, unconsumedAtMost, next }) =>
      unlessClosed(
        write(() => {
          const isFirst = statement(CONSUME_UNTIL).run(atSeconds, keptUntilSeconds, kind, id).changes === 1
          if (isFirst) {
            const row = rowOfEntry(next)
            statement(PUT).run(row)
            statement(REMOVE_SURPLUS).run(row.session_id, row.kind, row.id, unconsumedAtMost - 1)
          }
          return isFirst
        }),
      ),
    remove: (kind, id) => unlessClosed(write(() => void statement(REMOVE).run(kind, id))),
    removeOfSession: (sessionId) => unlessClosed(removeSome(sessionId)),
    deleteExpired: (nowSeconds, atMost) =>
      unlessClosed(write(() => statement(DELETE_EXPIRED).run(nowSeconds, Math.max(0, atMost)).changes)),
    close,
  }
}

const PUT = `
  INSERT INTO protocol_state (kind, id, session_id, content, expires_at)
  VALUES (@kind, @id, @session_id, @content, @expires_at)
  ON CONFLICT (kind, id) DO UPDATE SET content = excluded.content, expires_at = excluded.expires_at`

export const FIND = 'SELECT * FROM protocol_state WHERE kind = ? AND id = ?'

export const CONSUME =
  'UPDATE protocol_state SET consumed_at = ? WHERE kind = ? AND id = ? AND consumed_at IS NULL'

const CONSUME_UNTIL = `
  UPDATE protocol_state SET consumed_at = ?, expires_at = min(expires_at, ?)
  WHERE kind = ? AND id = ? AND consumed_at IS NULL`

const REMOVE = 'DELETE FROM protocol_state WHERE kind = ? AND id = ?'

export const REMOVE_OF_SESSION = `
  DELETE FROM protocol_state WHERE rowid IN (SELECT rowid FROM protocol_state WHERE session_id = ? LIMIT ?)`

const KINDS = PROTOCOL_KINDS.map((kind) => `'${kind}'`).join(', ')

export const DELETE_EXPIRED = `
  DELETE FROM protocol_state WHERE rowid IN
    (SELECT rowid FROM protocol_state WHERE kind IN (${KINDS}) AND expires_at < ? LIMIT ?)`

export const COUNT_OF_KIND = 'SELECT count(*) AS entries FROM protocol_state WHERE kind = ?'

export const REMOVE_FIRST = `
  DELETE FROM protocol_state WHERE rowid IN
    (SELECT rowid FROM protocol_state WHERE kind = ? ORDER BY expires_at LIMIT ?)`

/** A row id is higher than that of every older row. With `+`, SQLite does not read the whole kind in its order, but the session. */
export const REMOVE_SURPLUS = `
  DELETE FROM protocol_state WHERE rowid IN
    (SELECT rowid FROM protocol_state WHERE session_id = ? AND consumed_at IS NULL AND +kind = ? AND id <> ?
     ORDER BY expires_at DESC, rowid DESC LIMIT -1 OFFSET ?)`

/** As many as one check may find too many, so that other processes can add as many. */
const REMOVED_AT_ONCE = 500

const WRITES_BETWEEN = 250
