import { map } from 'fp-ts/lib/Either.js'
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
import type { Connections } from './connections.ts'
import { counting, done, IF_OPEN, sideTables } from './side-tables.ts'

/**
 * The protocol state in the database of the store, shared by all instances. Each write is one statement, so of all instances exactly one
 * consumes an entry.
 *
 * @param keptAtMost the number of entries of each kind, which may be exceeded by `WRITES_BETWEEN` in each instance
 */
export const postgresProtocolState = (
  connections: Pick<Connections, 'read' | 'transaction'>,
  keptAtMost = ENTRIES_KEPT_AT_MOST,
): ProtocolState => {
  const { read, write } = sideTables(connections)
  const { unlessClosed, close } = closable()
  const sinceTidied = new Map<ProtocolKind, number>()

  const writeRows = (sql: string, ...values: ReadonlyArray<unknown>): TaskEither<StoreUnavailable, number> =>
    write(sql, values, done)

  /** A failure does not matter: the entry is written, and a later one tries again. */
  const tidy = (kind: ProtocolKind): TaskEither<StoreUnavailable, void> => {
    const most = keptAtMost[kind]
    const writes = (sinceTidied.get(kind) ?? 0) + 1
    const isDue = most < Number.POSITIVE_INFINITY && writes >= Math.min(WRITES_BETWEEN, most / 10)
    sinceTidied.set(kind, isDue ? 0 : writes)
    if (!isDue) return TE.right(undefined)
    return pipe(
      writeRows(REMOVE_FIRST, kind, most, REMOVED_AT_ONCE),
      TE.matchE(
        () => TE.right(undefined),
        () => TE.right(undefined),
      ),
    )
  }

  const removeSome = (sessionId: string): TaskEither<StoreUnavailable, void> =>
    pipe(
      writeRows(REMOVE_OF_SESSION, sessionId, REMOVED_AT_ONCE),
      TE.chain((removed) => (removed < REMOVED_AT_ONCE ? TE.right(undefined) : removeSome(sessionId))),
    )

  return {
    put: (entry) => {
      const { kind, id, session_id, content, expires_at } = rowOfEntry(entry)
      return unlessClosed(
        pipe(
          writeRows(PUT, kind, id, session_id, content, expires_at),
          TE.chain(() => tidy(kind)),
        ),
      )
    },
    find: (kind, id) => unlessClosed(read(FIND, [kind, id], ([row]) => oneEntry(row))),
    consume: (kind, id, atSeconds) =>
      unlessClosed(
        write(CONSUME, [kind, id, atSeconds], (rows) =>
          pipe(
            done(rows),
            map((consumed) => consumed === 1),
          ),
        ),
      ),
    replace: (kind, id, { atSeconds, keptUntilSeconds, unconsumedAtMost, next }) => {
      const row = rowOfEntry(next)
      const added = [row.kind, row.id, row.session_id, row.content, row.expires_at]
      return unlessClosed(
        pipe(
          writeRows(REPLACE, kind, id, atSeconds, keptUntilSeconds, ...added, unconsumedAtMost - 1),
          TE.map((rows) => rows === 1),
        ),
      )
    },
    remove: (kind, id) =>
      unlessClosed(
        pipe(
          writeRows(REMOVE, kind, id),
          TE.map(() => undefined),
        ),
      ),
    removeOfSession: (sessionId) => unlessClosed(removeSome(sessionId)),
    deleteExpired: (nowSeconds, atMost) =>
      unlessClosed(writeRows(DELETE_EXPIRED, nowSeconds, Math.max(0, atMost), PROTOCOL_KINDS)),
    close,
  }
}

const PUT = counting(`
  INSERT INTO portcullis.protocol_state (kind, id, session_id, content, expires_at)
  SELECT $1, $2, $3, $4, $5::bigint WHERE ${IF_OPEN}
  ON CONFLICT (kind, id) DO UPDATE SET content = excluded.content, expires_at = excluded.expires_at`)

const FIND = 'SELECT * FROM portcullis.protocol_state WHERE kind = $1 AND id = $2'

/** After a lock, PostgreSQL compares the condition with the row as it is by then. */
export const CONSUME = counting(`
  UPDATE portcullis.protocol_state SET consumed_at = $3
  WHERE kind = $1 AND id = $2 AND consumed_at IS NULL AND ${IF_OPEN}`)

/**
 * One statement, so all or nothing. Each part of it sees the table as it was before. It locks only what it removes, and skips rows that another
 * instance is writing, so that two instances cannot deadlock.
 */
export const REPLACE = counting(
  `INSERT INTO portcullis.protocol_state (kind, id, session_id, content, expires_at)
   SELECT $5, $6, $7, $8, $9::bigint FROM used`,
  `used AS (
     UPDATE portcullis.protocol_state SET consumed_at = $3, expires_at = least(expires_at, $4::bigint)
     WHERE kind = $1 AND id = $2 AND consumed_at IS NULL AND ${IF_OPEN} RETURNING 1)`,
  `surplus AS (
     SELECT id FROM portcullis.protocol_state
     WHERE session_id = $7 AND consumed_at IS NULL AND kind = $5 AND (kind, id) <> ($1, $2) AND EXISTS (SELECT FROM used)
     ORDER BY expires_at DESC, position DESC OFFSET $10::bigint)`,
  `removed AS (
     DELETE FROM portcullis.protocol_state WHERE kind = $5 AND id = ANY (ARRAY(
       SELECT id FROM portcullis.protocol_state WHERE kind = $5 AND id = ANY (ARRAY(SELECT id FROM surplus))
       FOR UPDATE SKIP LOCKED)))`,
)

const REMOVE = counting(`DELETE FROM portcullis.protocol_state WHERE kind = $1 AND id = $2 AND ${IF_OPEN}`)

/** Deletes the chosen rows by their keys: a row that changed after it was chosen has another address in the table. */
const deletingChosen = (chosen: string): string =>
  counting(
    `DELETE FROM portcullis.protocol_state AS stored USING chosen
     WHERE stored.kind = chosen.kind AND stored.id = chosen.id`,
    `chosen AS MATERIALIZED (SELECT kind, id FROM portcullis.protocol_state WHERE ${IF_OPEN} AND ${chosen})`,
  )

/** In one order, so that two of them cannot deadlock. It waits for a row that is being consumed. */
export const REMOVE_OF_SESSION = deletingChosen('session_id = $1 ORDER BY kind, id LIMIT $2 FOR UPDATE')

/** Skips rows that another instance is writing, so that two instances cannot deadlock. */
export const DELETE_EXPIRED = deletingChosen(
  'kind = ANY ($3) AND expires_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED',
)

/** Of one kind, so that ids are enough: a join of as many rows could read the whole table. */
export const REMOVE_FIRST = counting(`
  DELETE FROM portcullis.protocol_state WHERE kind = $1 AND id = ANY (ARRAY(
    SELECT id FROM portcullis.protocol_state WHERE kind = $1 AND ${IF_OPEN} ORDER BY expires_at
    LIMIT least($3::bigint, greatest(0, (SELECT count(*) FROM portcullis.protocol_state WHERE kind = $1) - $2::bigint))
    FOR UPDATE SKIP LOCKED))`)

/** Few enough for a short transaction. */
const REMOVED_AT_ONCE = 2_000

const WRITES_BETWEEN = 1_000
