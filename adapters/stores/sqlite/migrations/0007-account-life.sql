-- Whether the user proved to receive mail at the address, and when the user registered. The log knows the latter of every user.
-- A process of the former version that still has this file open writes users without them.
ALTER TABLE users ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN created_at INTEGER;
UPDATE users SET created_at = CAST(strftime('%s', log.at) AS INTEGER)
FROM log
WHERE log.type = 'UserRegistered' AND log.subject_id = users.id AND users.status <> 'removed';

-- Lists of users skip removed ones without reading them.
CREATE INDEX users_listed ON users (id) WHERE status <> 'removed';
CREATE INDEX users_by_status ON users (status, id) WHERE status <> 'removed';

CREATE TABLE one_time_tokens (
  id               TEXT PRIMARY KEY,
  purpose          TEXT NOT NULL,
  digest           TEXT NOT NULL UNIQUE,
  user_id          TEXT NOT NULL,
  application_id   TEXT NOT NULL,
  password_version INTEGER NOT NULL,
  email_on_record  TEXT NOT NULL,
  email            TEXT NOT NULL,
  expires_at       INTEGER NOT NULL,
  used             INTEGER NOT NULL,
  version          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
