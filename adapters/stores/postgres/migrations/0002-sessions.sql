-- When a session was opened, and by which application. The log says so of every session that is there. Both may be empty, for
-- instances of the version before go on working, and write sessions without them.
ALTER TABLE portcullis.sessions ADD COLUMN created_at bigint, ADD COLUMN application_id text;
UPDATE portcullis.sessions SET
  created_at = pg_catalog.floor(extract(epoch FROM log.at::timestamptz)),
  application_id = CASE log.actor_kind WHEN 'application' THEN log.actor_id END
FROM portcullis.log
WHERE log.type = 'UserSignedIn' AND sessions.id = log.data::json ->> 'session_id';

-- The sessions of a user that may be alive, in the order in which they end: whoever reads the last hundred reads no others.
CREATE INDEX sessions_of_a_user ON portcullis.sessions (user_id, password_version, expires_at, id) WHERE signed_out = 0;

-- Application tokens that were ended before their time.
CREATE TABLE portcullis.revoked_tokens (
  id             text COLLATE "C" PRIMARY KEY,
  application_id text NOT NULL,
  expires_at     bigint NOT NULL,
  version        bigint NOT NULL
);
