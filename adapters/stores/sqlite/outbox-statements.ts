import { MAIL_ROW } from '../records/mail-row.ts'

const COLUMNS = MAIL_ROW.columns.join(', ')

/** A known id is left alone, because a caller repeats a mail of which it has lost the answer. */
const KEEP_KNOWN = 'ON CONFLICT (id) DO NOTHING'

const VALUES = MAIL_ROW.columns.map((name) => `@${name}`).join(', ')

export const INSERT_MAIL = `INSERT INTO mails (${COLUMNS}) VALUES (${VALUES}) ${KEEP_KNOWN}`

/** Counts no further than it must. */
export const INSERT_WITHIN_BOUND = `
  INSERT INTO mails (${COLUMNS}) SELECT ${VALUES}
  WHERE (SELECT count(*) FROM (
    SELECT 1 FROM mails WHERE state = 'waiting' AND request = 1 AND claims = 0 LIMIT @unseenAtMost)) < @unseenAtMost
  ${KEEP_KNOWN}`

/** Finds the mails by an index in this order. */
export const claimOf = (unseenRequestsOnly: boolean): string => `
  UPDATE mails SET claim = @claim, leased_until = @leasedUntil, attempts = attempts + 1, claims = claims + 1
  WHERE id IN (
    SELECT id FROM mails
    WHERE state = 'waiting' AND due_at <= @nowSeconds AND leased_until <= @now
      ${unseenRequestsOnly ? 'AND request = 1 AND claims = 0' : ''}
    ORDER BY due_at, id LIMIT @limit)
  RETURNING ${COLUMNS}`

const IF_HELD = "WHERE id = @id AND state = 'waiting' AND claim = @claim"

export const POSTPONE = `
  UPDATE mails SET due_at = @dueAtSeconds, code = @code, attempts = attempts - @givenBack, claim = NULL, leased_until = 0
  ${IF_HELD}`

export const DELETE_HELD = `DELETE FROM mails ${IF_HELD}`

export const FAIL_HELD = `
  UPDATE mails SET state = 'failed', code = @code, expires_at = @keptUntilSeconds, claim = NULL, leased_until = 0
  ${IF_HELD}`

export const WITHDRAW = "DELETE FROM mails WHERE id = ? AND state = 'waiting'"

export const MAILS_AFTER = `SELECT ${COLUMNS} FROM mails WHERE id > ? ORDER BY id LIMIT ?`
export const MAILS_IN_STATE = `SELECT ${COLUMNS} FROM mails WHERE id > ? AND state = ? ORDER BY id LIMIT ?`

export const COUNT_MAILS = `
  SELECT (SELECT count(*) FROM mails WHERE state = 'waiting') AS waiting,
    (SELECT count(*) FROM mails WHERE state = 'failed') AS failed,
    (SELECT min(due_at) FROM mails WHERE state = 'waiting') AS oldest`

export const RETRY = `
  UPDATE mails SET state = 'waiting', attempts = 0, code = NULL, due_at = @dueAtSeconds, expires_at = @expiresAtSeconds
  WHERE id = @id AND state = 'failed'`

/** A JSON array has any length, unlike a list of parameters. */
export const DROP = 'DELETE FROM mails WHERE id IN (SELECT value FROM json_each(?))'

export const DELETE_FAILED = `
  DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE state = 'failed' AND expires_at < ? ORDER BY expires_at, id LIMIT ?)`
