-- The event log. The triggers make it append-only, also for other programs.
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

-- The epoch names this log among its copies: a restored back-up takes another one before it writes. Only a back-up has is_copy = 1.
-- copy_state says what store copy makes of the store: NULL, 'incomplete' or 'moved'. A complete copy keeps copy_id.
CREATE TABLE log_epoch (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  epoch      TEXT NOT NULL,
  is_copy    INTEGER NOT NULL DEFAULT 0,
  copy_state TEXT,
  copy_id    TEXT,
  copy_place TEXT
) STRICT;
INSERT INTO log_epoch (one, epoch) VALUES (1, lower(hex(randomblob(4))));

-- The Merkle tree of the log. It follows from the log alone, and the service computes it behind the entries. Entries may be missing up to
-- the position pruned.
CREATE TABLE tree (
  one           INTEGER PRIMARY KEY CHECK (one = 1),
  origin_prefix TEXT NOT NULL DEFAULT '',
  size          INTEGER NOT NULL DEFAULT 0,
  root          TEXT NOT NULL DEFAULT '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', -- of no entries
  note          TEXT NOT NULL DEFAULT '',
  pruned        INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO tree DEFAULT VALUES;

-- Up to 256 hashes of 32 bytes each. A tile that is not full yet only grows.
CREATE TABLE tiles (
  level  INTEGER NOT NULL,
  n      INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (level, n)
) STRICT;

CREATE TRIGGER log_no_update BEFORE UPDATE ON log
BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;

-- Up to the position pruned, entries may be deleted that changed nothing, or only something that expires: those of PRUNABLE_TYPES
-- (domain/retention.ts). The last entry stays, because the next position follows it. An incomplete store may be emptied.
CREATE TRIGGER log_no_delete BEFORE DELETE ON log
WHEN (
    OLD.position > coalesce((SELECT pruned FROM tree), 0)
    OR OLD.position >= (SELECT max(position) FROM log)
    OR OLD.type NOT IN (
      'ApplicationTokenIssued', 'UserSignedIn', 'SecondFactorRequested', 'SessionRenewed', 'SessionSteppedUp',
      'UserSignedOut', 'ApplicationTokenRefused', 'SignInRefused', 'SecondFactorRefused', 'IdentityRefused', 'PasswordChangeRefused',
      'RecoveryRefused', 'RegistrationRefused', 'EmailConfirmationRefused', 'RefusalsSummarized', 'MailSent', 'MailFailed'
    )
  )
  AND NOT EXISTS (SELECT 1 FROM log_epoch WHERE copy_state = 'incomplete')
BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;

-- INSERT OR REPLACE deletes without firing the trigger above. So a position or an id that exists is refused here, and a position that
-- leaves a gap. An incomplete store takes a log with its gaps.
CREATE TRIGGER log_next_only BEFORE INSERT ON log
WHEN NEW.position <> (SELECT coalesce(max(position), 0) + 1 FROM log)
    AND NOT EXISTS (SELECT 1 FROM log_epoch WHERE copy_state = 'incomplete')
  OR EXISTS (SELECT 1 FROM log WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'the log takes the next position only');
END;

-- Lifetimes are in seconds, and NULL is the lifetime of the service. Spaces separate the origins of pages with passkeys, return URLs, redirect URIs and logout URIs.
CREATE TABLE applications (
  id                  TEXT PRIMARY KEY,
  name                TEXT NOT NULL,
  scope               TEXT NOT NULL,
  key_id              TEXT NOT NULL,
  key_digest          TEXT NOT NULL,
  previous_key_id     TEXT,
  previous_key_digest TEXT,
  previous_until      INTEGER,
  user_token_ttl      INTEGER,
  session_ttl         INTEGER,
  required_assurance  TEXT NOT NULL DEFAULT 'aal1',
  passkey_origins     TEXT NOT NULL DEFAULT '',
  return_urls         TEXT NOT NULL DEFAULT '',
  redirect_uris       TEXT NOT NULL DEFAULT '',
  logout_uris         TEXT NOT NULL DEFAULT '',
  client_kind         TEXT NOT NULL DEFAULT 'confidential',
  requires_pkce       INTEGER NOT NULL DEFAULT 1,
  revoked             INTEGER NOT NULL DEFAULT 0,
  version             INTEGER NOT NULL,
  idle_ttl            INTEGER,
  remember_ttl        INTEGER,
  require_verified_email INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- password_scheme says in public words how the record was made. sessions_version ends sessions only, and leaves one-time tokens.
-- Spaces separate roles. attributes is one JSON text, and name_key the name in it: in NFC, in lower case.
CREATE TABLE users (
  id                TEXT PRIMARY KEY,
  email             TEXT NOT NULL,
  email_key         TEXT NOT NULL UNIQUE,
  email_verified    INTEGER NOT NULL DEFAULT 0,
  email_version     INTEGER NOT NULL DEFAULT 1,
  password_record   TEXT NOT NULL,
  password_scheme   TEXT NOT NULL DEFAULT '',
  password_version  INTEGER NOT NULL,
  sessions_version  INTEGER NOT NULL DEFAULT 1,
  all_ended_version INTEGER NOT NULL DEFAULT 1,
  labels_erased_at  INTEGER NOT NULL DEFAULT 2,
  status            TEXT NOT NULL DEFAULT 'enabled',
  created_at        INTEGER NOT NULL,
  version           INTEGER NOT NULL,
  roles             TEXT NOT NULL DEFAULT '',
  attributes        TEXT NOT NULL DEFAULT '',
  name_key          TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- Searches by the beginning of an e-mail or a name, and by a role. The unique index of e-mails also has the ids of removed users.
CREATE INDEX users_by_email ON users (email_key) WHERE status <> 'removed';
CREATE INDEX users_by_name ON users (name_key, id) WHERE name_key <> '';
CREATE INDEX users_with_roles ON users (id, roles, status) WHERE roles <> '';

-- An import of random ids writes each index of users in other places, so each one costs as much as the table. This one also lists users
-- of any status, as the union of two.
CREATE INDEX users_by_status ON users (status, id) WHERE status <> 'removed';

-- A change of a user ends any number of sessions, and touches none of them. Housekeeping then erases their labels: it finds the users
-- whose versions were raised since it last did so, and the labels that a user has left.
CREATE INDEX users_with_ended_labels ON users (id) WHERE labels_erased_at <> password_version + sessions_version;

-- Counts the password schemes in use: an index of users would cost more.
CREATE TABLE password_schemes (
  scheme TEXT PRIMARY KEY,
  users  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER password_scheme_added AFTER INSERT ON users WHEN NEW.password_scheme <> ''
BEGIN
  INSERT INTO password_schemes (scheme, users) VALUES (NEW.password_scheme, 1)
    ON CONFLICT (scheme) DO UPDATE SET users = users + 1;
END;

CREATE TRIGGER password_scheme_changed AFTER UPDATE OF password_scheme ON users WHEN NEW.password_scheme <> OLD.password_scheme
BEGIN
  UPDATE password_schemes SET users = users - 1 WHERE scheme = OLD.password_scheme;
  INSERT INTO password_schemes (scheme, users) SELECT NEW.password_scheme, 1 WHERE NEW.password_scheme <> ''
    ON CONFLICT (scheme) DO UPDATE SET users = users + 1;
  DELETE FROM password_schemes WHERE scheme = OLD.password_scheme AND users = 0;
END;

CREATE TRIGGER password_scheme_removed AFTER DELETE ON users WHEN OLD.password_scheme <> ''
BEGIN
  UPDATE password_schemes SET users = users - 1 WHERE scheme = OLD.password_scheme;
  DELETE FROM password_schemes WHERE scheme = OLD.password_scheme AND users = 0;
END;

CREATE TABLE sessions (
  id               TEXT PRIMARY KEY,
  user_id          TEXT NOT NULL,
  password_version INTEGER NOT NULL,
  sessions_version INTEGER NOT NULL DEFAULT 1,
  created_at       INTEGER NOT NULL,
  expires_at       INTEGER NOT NULL,
  ends_at          INTEGER NOT NULL,
  renewed_at       INTEGER,
  cookie           TEXT,
  browser_id       TEXT,
  label            TEXT,
  application_id   TEXT NOT NULL,
  methods          TEXT NOT NULL,
  authenticated_at INTEGER NOT NULL,
  signed_out       INTEGER NOT NULL,
  version          INTEGER NOT NULL,
  remembered       INTEGER NOT NULL DEFAULT 0,
  password_changed_at INTEGER
) STRICT, WITHOUT ROWID;

-- The sessions of a user that may be alive, in the order in which they expire. All that a version of the user has ended are elsewhere in it.
CREATE INDEX sessions_of_a_user
  ON sessions (user_id, password_version, sessions_version, expires_at, id) WHERE signed_out = 0;
CREATE INDEX labelled_sessions ON sessions (user_id, id) WHERE label IS NOT NULL;

-- Housekeeping finds expired rows by this and its like below, however many others there are. Their lifetimes may differ.
CREATE INDEX sessions_by_expiry ON sessions (expires_at, id);

CREATE TABLE keys (
  id         TEXT PRIMARY KEY,
  kid        TEXT NOT NULL,
  purpose    TEXT NOT NULL,
  material   TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  signs_from INTEGER NOT NULL DEFAULT 0,
  retires_at INTEGER,
  retired    INTEGER NOT NULL DEFAULT 0,
  version    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Application tokens that were revoked before they expired.
CREATE TABLE revoked_tokens (
  id             TEXT PRIMARY KEY,
  application_id TEXT NOT NULL,
  expires_at     INTEGER NOT NULL,
  version        INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX revoked_tokens_by_expiry ON revoked_tokens (expires_at, id);

-- A token ends with the versions of its user under which it was made. The label is that of a sign-in that waits for the second factor.
CREATE TABLE one_time_tokens (
  id               TEXT PRIMARY KEY,
  purpose          TEXT NOT NULL,
  digest           TEXT NOT NULL UNIQUE,
  user_id          TEXT NOT NULL,
  application_id   TEXT NOT NULL,
  password_version INTEGER NOT NULL,
  sessions_version INTEGER NOT NULL DEFAULT 1,
  email_version    INTEGER NOT NULL,
  email            TEXT NOT NULL,
  label            TEXT,
  expires_at       INTEGER NOT NULL,
  used             INTEGER NOT NULL,
  version          INTEGER NOT NULL,
  remembered       INTEGER NOT NULL DEFAULT 0,
  first            TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX one_time_tokens_by_expiry ON one_time_tokens (expires_at, id);

-- Second factors and recovery codes. A removed one stays, without its secret. The challenges that a passkey has answered are separated by
-- spaces. Each is answered once, in any order.
CREATE TABLE factors (
  id         TEXT PRIMARY KEY,
  user_id    TEXT NOT NULL,
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  material   TEXT NOT NULL,
  mark       INTEGER NOT NULL,
  answered   TEXT NOT NULL DEFAULT '',
  counter    INTEGER NOT NULL,
  flags      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER,
  removed    INTEGER NOT NULL,
  version    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX factors_by_user ON factors (user_id, id) WHERE removed = 0;

-- Not part of the log: how often something failed lately, and until when further attempts are refused. The key is a digest.
CREATE TABLE failure_counts (
  key            TEXT PRIMARY KEY,
  kind           TEXT NOT NULL DEFAULT '',
  count          INTEGER NOT NULL,
  refused_until  INTEGER NOT NULL,
  forgotten_from INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Finds the expired rows of a kind, and those that it drops first when it is full.
CREATE INDEX failure_counts_by_room ON failure_counts (kind, count > 1, forgotten_from);

-- What the running servers say of themselves, so that doctor can compare settings. A back-up has no notes.
CREATE TABLE server_notes (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  settings   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Not part of the log: mails that wait, and those that failed. facts is JSON, and leased_until the end of the claim in milliseconds. The
-- last index finds request mails that no sender has looked at.
CREATE TABLE mails (
  id             TEXT PRIMARY KEY,
  kind           TEXT NOT NULL,
  request        INTEGER NOT NULL,
  user_id        TEXT,
  address        TEXT NOT NULL,
  language       TEXT,
  application_id TEXT,
  return_to      TEXT,
  facts          TEXT NOT NULL,
  created_at     INTEGER NOT NULL,
  due_at         INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL,
  state          TEXT NOT NULL,
  attempts       INTEGER NOT NULL,
  claims         INTEGER NOT NULL,
  claim          TEXT,
  code           TEXT,
  leased_until   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX mails_due ON mails (due_at, id) WHERE state = 'waiting';
CREATE INDEX mails_failed ON mails (expires_at, id) WHERE state = 'failed';
CREATE INDEX mails_unseen ON mails (due_at, id) WHERE state = 'waiting' AND request = 1 AND claims = 0;

-- Not part of the log: what an OpenID provider keeps between two requests. A client may keep its refresh token for weeks, so consumed ones
-- stay until they expire. Its contents are too long for a table without rowid.
CREATE TABLE protocol_state (
  kind        TEXT NOT NULL,
  id          TEXT NOT NULL,
  session_id  TEXT,
  content     TEXT NOT NULL,
  consumed_at INTEGER,
  expires_at  INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT;
CREATE INDEX protocol_state_by_session ON protocol_state (session_id, consumed_at) WHERE session_id IS NOT NULL;

-- Finds the expired rows, and those that a full kind drops first.
CREATE INDEX protocol_state_by_expiry ON protocol_state (kind, expires_at);
