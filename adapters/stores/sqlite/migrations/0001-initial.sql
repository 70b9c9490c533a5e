-- The event log: append-only by schema, not by good will.
CREATE TABLE log (
  position     INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  type         TEXT NOT NULL,
  version      INTEGER NOT NULL,
  at           TEXT NOT NULL,
  subject_kind TEXT NOT NULL,
  subject_id   TEXT NOT NULL,
  actor_kind   TEXT NOT NULL,
  actor_id     TEXT,
  request_id   TEXT,
  data         TEXT NOT NULL
) STRICT;

CREATE TRIGGER log_no_update BEFORE UPDATE ON log
BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;

CREATE TRIGGER log_no_delete BEFORE DELETE ON log
BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;

-- INSERT OR REPLACE deletes without firing the trigger above, so a position or an id that exists is refused here,
-- and with it a position that would leave a gap.
CREATE TRIGGER log_next_only BEFORE INSERT ON log
WHEN NEW.position <> (SELECT coalesce(max(position), 0) + 1 FROM log)
  OR EXISTS (SELECT 1 FROM log WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'the log takes the next position only');
END;

CREATE TABLE applications (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  scope      TEXT NOT NULL,
  key_id     TEXT NOT NULL,
  key_digest TEXT NOT NULL,
  version    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
  id               TEXT PRIMARY KEY,
  email            TEXT NOT NULL,
  email_key        TEXT NOT NULL UNIQUE,
  password_record  TEXT NOT NULL,
  password_version INTEGER NOT NULL,
  version          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id               TEXT PRIMARY KEY,
  user_id          TEXT NOT NULL,
  password_version INTEGER NOT NULL,
  expires_at       INTEGER NOT NULL,
  signed_out       INTEGER NOT NULL,
  version          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  id         TEXT PRIMARY KEY,
  kid        TEXT NOT NULL,
  purpose    TEXT NOT NULL,
  material   TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  version    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
