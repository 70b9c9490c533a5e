import type { ExpiringTable } from '../../../application/ports/store.ts'
import { ROWS } from '../records/rows.ts'
import { COPY_STATE } from './copy-state.ts'

export const SESSIONS = `
  SELECT sessions.*
  FROM portcullis.sessions JOIN portcullis.applications ON applications.id = sessions.application_id
  WHERE user_id = $1 AND password_version = $2 AND sessions_version = $3 AND signed_out = 0 AND expires_at > $4
    AND applications.revoked = 0
  ORDER BY expires_at DESC, sessions.id DESC LIMIT $5 OFFSET $6`

/** Uses an index without removed factors. */
export const FACTORS = `
  SELECT * FROM portcullis.factors WHERE user_id = $1 AND removed = 0 ORDER BY id`

/** Each part uses its index. Together they might use none. */
export const KNOWN_USERS = `
  SELECT email_key, NULL AS id FROM portcullis.users WHERE email_key = ANY ($1)
  UNION ALL SELECT NULL, id FROM portcullis.users WHERE id = ANY ($2)`

/** Skips from scheme to scheme by their index, and reads no user. */
export const PASSWORD_SCHEMES = `
  WITH RECURSIVE schemes (scheme) AS (
    SELECT min(password_scheme) FROM portcullis.users WHERE password_scheme > $1
    UNION ALL
    SELECT (SELECT min(password_scheme) FROM portcullis.users WHERE password_scheme > scheme) FROM schemes WHERE scheme IS NOT NULL
  )
  SELECT scheme FROM schemes WHERE scheme IS NOT NULL LIMIT $2`

/**
 * Deletes expired rows, which it finds by an index in this order. It waits for no lock, so that it cannot deadlock: another
 * transaction that holds a row writes it or deletes it too. It takes the next rows instead. A store
 * that is not open keeps all of them.
 */
export const deleteExpiredFrom = (table: ExpiringTable): string => {
  const { expiry } = ROWS[table]
  return `
  WITH
    copied AS MATERIALIZED (${COPY_STATE}),
    expired AS MATERIALIZED (
      SELECT id FROM portcullis.${table} WHERE ${expiry} < $1 AND (SELECT copy_state FROM copied) IS NULL
      ORDER BY ${expiry}, id LIMIT $2 FOR UPDATE SKIP LOCKED
    ),
    gone AS (DELETE FROM portcullis.${table} WHERE id = ANY (ARRAY(SELECT id FROM expired)) RETURNING 1)
  SELECT copied.*, (SELECT count(*) FROM gone) AS deleted FROM copied`
}

/** Whether a session has another version than its user. Such a session has ended. */
const endedUnder = (user: string): string => `
  user_id = ${user}.id AND label IS NOT NULL
  AND (sessions.password_version <> ${user}.password_version OR sessions.sessions_version <> ${user}.sessions_version)`

/**
 * Erases labels of ended sessions, those of at most so many users. It waits for no lock, as a deletion does. LIMIT in the inner query
 * lets PostgreSQL use the index of labelled sessions for each user, and read no other one.
 */
export const ERASE_ENDED_LABELS = `
  WITH
    copied AS MATERIALIZED (${COPY_STATE}),
    changed AS MATERIALIZED (
      SELECT id, password_version, sessions_version FROM portcullis.users
      WHERE labels_erased_at <> password_version + sessions_version AND (SELECT copy_state FROM copied) IS NULL
      ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED
    ),
    ended AS MATERIALIZED (
      SELECT one.id FROM changed CROSS JOIN LATERAL (
        SELECT sessions.id FROM portcullis.sessions WHERE ${endedUnder('changed')} LIMIT $1 FOR UPDATE SKIP LOCKED
      ) AS one LIMIT $1
    ),
    erased AS (UPDATE portcullis.sessions SET label = NULL WHERE id = ANY (ARRAY(SELECT id FROM ended)) RETURNING 1)
  SELECT copied.*, ARRAY(SELECT id FROM changed) AS users, (SELECT count(*) FROM erased) AS labels FROM copied`

/** Notes the users that have no such label left: another transaction may have held one. */
export const NOTE_ERASED_LABELS = `
  UPDATE portcullis.users SET labels_erased_at = password_version + sessions_version
  WHERE id = ANY ($1)
    AND (SELECT count(*) FROM (SELECT FROM portcullis.sessions WHERE ${endedUnder('users')} LIMIT 1) AS one) = 0`
