import { MAIL_ROW } from '../records/mail-row.ts'
import { COPIED, counting, IF_OPEN } from './side-tables.ts'

const COLUMNS = MAIL_ROW.columns.join(', ')

const ROWS = 'pg_catalog.json_populate_recordset(NULL::portcullis.mails, $1)'

/** A known id is left alone, because a caller repeats a mail of which it has lost the answer. */
const KEEP_KNOWN = 'ON CONFLICT (id) DO NOTHING'

export const INSERT_MAILS = `
  INSERT INTO portcullis.mails (${COLUMNS}) SELECT ${COLUMNS} FROM ${ROWS} ORDER BY id ${KEEP_KNOWN}`

/** Counts no further than it must. The order makes it read the index, and no other mail. */
export const INSERT_WITHIN_BOUND = `
  WITH ${COPIED},
    unseen AS MATERIALIZED (
      SELECT count(*) AS mails FROM (
        SELECT FROM portcullis.mails WHERE state = 'waiting' AND request = 1 AND claims = 0
        ORDER BY due_at, id LIMIT $2) AS requests),
    known AS MATERIALIZED (SELECT id FROM portcullis.mails WHERE id IN (SELECT id FROM ${ROWS})),
    written AS (
      INSERT INTO portcullis.mails (${COLUMNS}) SELECT ${COLUMNS} FROM ${ROWS}
      WHERE ${IF_OPEN} AND (SELECT mails FROM unseen) < $2
      ${KEEP_KNOWN} RETURNING id)
  SELECT copied.*, (SELECT count(*) FROM written) + (SELECT count(*) FROM known) AS done FROM copied`

/** The clock that all senders share, in milliseconds. It goes on within a transaction. */
const NOW = '(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint'

/**
 * Finds the mails by an index in this order, and skips those that another sender is claiming. After a lock, PostgreSQL compares the
 * conditions with the row as it is by then.
 */
export const claimOf = (unseenRequestsOnly: boolean): string => `
  WITH ${COPIED},
    due AS MATERIALIZED (
      SELECT id FROM portcullis.mails
      WHERE state = 'waiting' AND due_at <= $2 AND leased_until <= ${NOW} AND ${IF_OPEN}
        ${unseenRequestsOnly ? 'AND request = 1 AND claims = 0' : ''}
      ORDER BY due_at, id LIMIT $4 FOR UPDATE SKIP LOCKED),
    claimed AS (
      UPDATE portcullis.mails
      SET claim = $1, leased_until = ${NOW} + 1000 * $3::bigint, attempts = attempts + 1, claims = claims + 1
      WHERE id = ANY (ARRAY(SELECT id FROM due))
      RETURNING ${COLUMNS})
  SELECT copied.*, claimed.* FROM copied LEFT JOIN claimed ON true`

const IF_HELD = `WHERE id = $1 AND state = 'waiting' AND claim = $2 AND ${IF_OPEN}`

export const POSTPONE = counting(`
  UPDATE portcullis.mails SET due_at = $3, code = $4, attempts = attempts - $5::bigint, claim = NULL, leased_until = 0
  ${IF_HELD}`)

export const DELETE_HELD = counting(`DELETE FROM portcullis.mails ${IF_HELD}`)

export const FAIL_HELD = counting(`
  UPDATE portcullis.mails SET state = 'failed', code = $3, expires_at = $4, claim = NULL, leased_until = 0
  ${IF_HELD}`)

export const MAILS_AFTER = 'SELECT * FROM portcullis.mails WHERE id > $1 ORDER BY id LIMIT $2'
export const MAILS_IN_STATE = `SELECT * FROM portcullis.mails WHERE id > $1 AND state = $3 ORDER BY id LIMIT $2`

export const COUNT_MAILS = `
  SELECT (SELECT count(*) FROM portcullis.mails WHERE state = 'waiting') AS waiting,
    (SELECT count(*) FROM portcullis.mails WHERE state = 'failed') AS failed,
    (SELECT min(due_at) FROM portcullis.mails WHERE state = 'waiting') AS oldest`

/** Locks by id, as changes do, so that two of them cannot deadlock. */
const lockedOf = (ids: string, condition = 'true'): string =>
  `ANY (ARRAY(SELECT id FROM portcullis.mails WHERE id = ANY (${ids}) AND ${condition} ORDER BY id FOR UPDATE))`

export const RETRY = counting(`
  UPDATE portcullis.mails AS stored
  SET state = 'waiting', attempts = 0, code = NULL, due_at = retried.due_at, expires_at = retried.expires_at
  FROM pg_catalog.json_to_recordset($1) AS retried (id text, due_at bigint, expires_at bigint)
  WHERE stored.id = retried.id AND ${IF_OPEN}
    AND stored.id = ${lockedOf("ARRAY(SELECT value ->> 'id' FROM pg_catalog.json_array_elements($1))", "state = 'failed'")}`)

export const DROP = counting(`DELETE FROM portcullis.mails WHERE ${IF_OPEN} AND id = ${lockedOf('$1')}`)

export const DELETE_FAILED = counting(`
  DELETE FROM portcullis.mails WHERE id = ANY (ARRAY(
    SELECT id FROM portcullis.mails WHERE state = 'failed' AND expires_at < $1 AND ${IF_OPEN}
    ORDER BY expires_at, id LIMIT $2 FOR UPDATE SKIP LOCKED))`)

// In the transaction of a change.

export const LOCK_MAILS = `
  SELECT id, CASE WHEN state = 'waiting' THEN claim END AS claim, state FROM portcullis.mails
  WHERE id = ANY ($1) ORDER BY id FOR UPDATE`

export const DELETE_MAILS = 'DELETE FROM portcullis.mails WHERE id = ANY ($1)'

export const FAIL_MAILS = `
  UPDATE portcullis.mails AS stored
  SET state = 'failed', code = settled.code, expires_at = settled.expires_at, claim = NULL, leased_until = 0
  FROM pg_catalog.json_to_recordset($1) AS settled (id text, code text, expires_at bigint)
  WHERE stored.id = settled.id`
