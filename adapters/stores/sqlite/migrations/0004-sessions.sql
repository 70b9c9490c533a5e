-- When a session was opened, and by which application. The log says so of every session that is there. Both may be empty, for a
-- process of the version before that still has this file open writes sessions without them.
ALTER TABLE sessions ADD COLUMN created_at INTEGER;
ALTER TABLE sessions ADD COLUMN application_id TEXT;
UPDATE sessions SET
  created_at = CAST(strftime('%s', log.at) AS INTEGER),
  application_id = CASE log.actor_kind WHEN 'application' THEN log.actor_id END
FROM log
WHERE log.type = 'UserSignedIn' AND sessions.id = log.data ->> 'session_id';

-- The sessions of a user that may be alive, in the order in which they end: whoever reads the last hundred reads no others.
CREATE INDEX sessions_of_a_user ON sessions (user_id, password_version, expires_at, id) WHERE signed_out = 0;

-- Application tokens that were ended before their time.
CREATE TABLE revoked_tokens (
  id             TEXT PRIMARY KEY,
  application_id TEXT NOT NULL,
  expires_at     INTEGER NOT NULL,
  version        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
