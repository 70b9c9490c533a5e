-- Texts are compared byte by byte, which in UTF-8 is code point by code point.

-- The event log. The triggers make it append-only, also for other programs.
CREATE TABLE portcullis.log (
  position     bigint PRIMARY KEY,
  id           text COLLATE "C" NOT NULL UNIQUE,
  type         text NOT NULL,
  version      integer NOT NULL,
  at           text NOT NULL,
  subject_kind text NOT NULL,
  subject_id   text NOT NULL,
  actor_kind   text NOT NULL,
  actor_id     text,
  request_id   text,
  data         text NOT NULL
);

-- Identifies the server: NULL if the user may not ask, which must not stop a commit.
CREATE FUNCTION portcullis.place() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT system_identifier FROM pg_catalog.pg_control_system())::text
    OPERATOR(pg_catalog.||) '/'
    OPERATOR(pg_catalog.||) pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8);
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;

-- The last position of the log. Each append locks this row until its commit, so that positions become visible in their order.
-- The epoch names this log among its copies: before a copy is written to, it gets another one. It is a copy when its server has another
-- identifier or timeline, or when its table was made anew, as pg_restore does.
-- copy_state says what store copy makes of the store: NULL, 'incomplete' or 'moved'. A complete copy keeps copy_id.
CREATE TABLE portcullis.head (
  one        boolean PRIMARY KEY DEFAULT true CHECK (one),
  position   bigint NOT NULL,
  epoch      text NOT NULL DEFAULT pg_catalog.substr(pg_catalog.gen_random_uuid()::text, 1, 8),
  place      text,
  table_id   oid,
  copy_state text,
  copy_id    text,
  copy_place text
) WITH (fillfactor = 10);
INSERT INTO portcullis.head (position, place, table_id)
  VALUES (0, portcullis.place(), 'portcullis.head'::pg_catalog.regclass);

-- The Merkle tree of the log. It follows from the log alone, and the service computes it behind the entries. Entries may be missing up to
-- the position pruned.
CREATE TABLE portcullis.tree (
  one           boolean PRIMARY KEY DEFAULT true CHECK (one),
  origin_prefix text NOT NULL DEFAULT '',
  size          bigint NOT NULL DEFAULT 0,
  root          text NOT NULL DEFAULT '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', -- of no entries
  note          text NOT NULL DEFAULT '',
  pruned        bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 10);
INSERT INTO portcullis.tree DEFAULT VALUES;

-- Up to 256 hashes of 32 bytes each. A tile that is not full yet only grows.
CREATE TABLE portcullis.tiles (
  level  integer NOT NULL,
  n      bigint NOT NULL,
  hashes bytea NOT NULL,
  PRIMARY KEY (level, n)
);

-- An incomplete log may be emptied.
CREATE FUNCTION portcullis.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' AND TG_TABLE_NAME = 'log' AND EXISTS (SELECT 1 FROM portcullis.head WHERE copy_state = 'incomplete') THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'the log is append-only';
END $$;

CREATE TRIGGER log_no_change BEFORE UPDATE OR TRUNCATE ON portcullis.log
  FOR EACH STATEMENT EXECUTE FUNCTION portcullis.refuse();
CREATE TRIGGER head_no_removal BEFORE DELETE OR TRUNCATE ON portcullis.head
  FOR EACH STATEMENT EXECUTE FUNCTION portcullis.refuse();

-- Appended entries end at the head, and begin right behind the last one. The trigger reads the head anyway, so it also refuses the entries
-- of other instances in a closed store. The copy that fills an incomplete store names itself in its transaction. Its entries may have gaps.
CREATE FUNCTION portcullis.expect_next() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  first bigint;
  last  bigint;
  many  bigint;
  found record;
BEGIN
  SELECT min(position), max(position), count(*) INTO first, last, many FROM appended;
  IF many = 0 THEN
    RETURN NULL;
  END IF;
  SELECT head.copy_state, head.copy_id, head.copy_place,
    last <> head.position
      OR first < 1
      OR last - first + 1 <> many
      OR (first > 1 AND NOT EXISTS (SELECT 1 FROM portcullis.log WHERE position = first - 1)) AS is_wrong
    INTO found FROM portcullis.head;
  IF found.copy_state = 'incomplete' AND found.copy_id = pg_catalog.current_setting('portcullis.copying', true) THEN
    RETURN NULL;
  END IF;
  IF found.copy_state IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'PC001', MESSAGE =
      CASE found.copy_state WHEN 'moved' THEN 'the store has moved to ' ELSE 'the store is an incomplete copy of ' END || found.copy_place;
  END IF;
  IF found.is_wrong IS NOT FALSE THEN
    RAISE EXCEPTION 'the log takes the next positions only';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER log_next_only AFTER INSERT ON portcullis.log
  REFERENCING NEW TABLE AS appended
  FOR EACH STATEMENT EXECUTE FUNCTION portcullis.expect_next();

-- Up to the position pruned, entries may be deleted that changed nothing, or only something that expires: those of PRUNABLE_TYPES
-- (domain/retention.ts). The last entry stays, because the next position follows it.
CREATE FUNCTION portcullis.expect_prunable() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  pruned bigint := (SELECT tree.pruned FROM portcullis.tree);
  head   bigint := (SELECT position FROM portcullis.head);
BEGIN
  IF EXISTS (
    SELECT 1 FROM deleted
    WHERE deleted.position > coalesce(pruned, 0)
      OR deleted.position >= head
      OR deleted.type NOT IN (
        'ApplicationTokenIssued', 'UserSignedIn', 'SecondFactorRequested', 'SessionRenewed', 'SessionSteppedUp',
        'UserSignedOut', 'ApplicationTokenRefused', 'SignInRefused', 'SecondFactorRefused', 'IdentityRefused', 'PasswordChangeRefused',
        'RecoveryRefused', 'RegistrationRefused', 'EmailConfirmationRefused', 'RefusalsSummarized', 'MailSent', 'MailFailed'
      )
  ) THEN
    RAISE EXCEPTION 'the log is append-only';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER log_no_delete AFTER DELETE ON portcullis.log
  REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION portcullis.expect_prunable();

-- Lifetimes are in seconds, and NULL is the lifetime of the service. Spaces separate the origins of pages with passkeys, return URLs,
-- redirect URIs and logout URIs.
CREATE TABLE portcullis.applications (
  id                  text COLLATE "C" PRIMARY KEY,
  name                text NOT NULL,
  scope               text NOT NULL,
  key_id              text NOT NULL,
  key_digest          text NOT NULL,
  previous_key_id     text,
  previous_key_digest text,
  previous_until      bigint,
  user_token_ttl      bigint,
  session_ttl         bigint,
  required_assurance  text NOT NULL DEFAULT 'aal1',
  passkey_origins     text NOT NULL DEFAULT '',
  return_urls         text NOT NULL DEFAULT '',
  redirect_uris       text NOT NULL DEFAULT '',
  logout_uris         text NOT NULL DEFAULT '',
  client_kind         text NOT NULL DEFAULT 'confidential',
  requires_pkce       integer NOT NULL DEFAULT 1,
  revoked             integer NOT NULL,
  version             bigint NOT NULL,
  idle_ttl            bigint,
  remember_ttl        bigint,
  require_verified_email integer NOT NULL DEFAULT 0
);

-- password_scheme says in public words how the record was made. sessions_version ends sessions only, and leaves one-time tokens.
-- attributes is one JSON text, and name_key the name in it: in NFC, in lower case.
CREATE TABLE portcullis.users (
  id                text COLLATE "C" PRIMARY KEY,
  email             text NOT NULL,
  email_key         text COLLATE "C" NOT NULL UNIQUE, -- checked row by row: a change that waits for one has not taken the next yet
  email_verified    bigint NOT NULL DEFAULT 0,
  email_version     bigint NOT NULL DEFAULT 1,
  password_record   text NOT NULL,
  password_scheme   text COLLATE "C" NOT NULL DEFAULT '',
  password_version  bigint NOT NULL,
  sessions_version  bigint NOT NULL DEFAULT 1,
  all_ended_version bigint NOT NULL DEFAULT 1,
  labels_erased_at  bigint NOT NULL DEFAULT 2,
  status            text NOT NULL,
  created_at        bigint NOT NULL,
  version           bigint NOT NULL,
  roles             text NOT NULL DEFAULT '', -- separated by spaces
  attributes        text NOT NULL DEFAULT '',
  name_key          text COLLATE "C" NOT NULL DEFAULT ''
);

-- Searches by the beginning of an e-mail or a name, and by a role. The unique index of e-mails also has the ids of removed users.
CREATE INDEX users_by_email ON portcullis.users (email_key) WHERE status <> 'removed';
CREATE INDEX users_by_name ON portcullis.users (name_key, id) WHERE name_key <> '';
CREATE INDEX users_with_roles ON portcullis.users (id) INCLUDE (roles, status) WHERE roles <> '';

-- Lists of users skip removed ones without reading them.
CREATE INDEX users_listed ON portcullis.users (id) WHERE status <> 'removed';
CREATE INDEX users_by_status ON portcullis.users (status, id) WHERE status <> 'removed';

-- The next scheme behind one is found without reading a user.
CREATE INDEX users_by_password_scheme ON portcullis.users (password_scheme);

-- A change of a user ends any number of sessions, and touches none of them. Housekeeping then erases their labels: it finds the users
-- whose versions were raised since it last did so, and the labels that a user has left.
CREATE INDEX users_with_ended_labels ON portcullis.users (id) WHERE labels_erased_at <> password_version + sessions_version;

CREATE TABLE portcullis.sessions (
  id               text COLLATE "C" PRIMARY KEY,
  user_id          text COLLATE "C" NOT NULL,
  password_version bigint NOT NULL,
  sessions_version bigint NOT NULL DEFAULT 1,
  created_at       bigint NOT NULL,
  expires_at       bigint NOT NULL,
  ends_at          bigint NOT NULL,
  renewed_at       bigint,
  cookie           text,
  browser_id       text,
  label            text,
  application_id   text NOT NULL,
  methods          text NOT NULL,
  authenticated_at bigint NOT NULL,
  signed_out       integer NOT NULL,
  version          bigint NOT NULL,
  remembered       integer NOT NULL DEFAULT 0,
  password_changed_at bigint
);

-- The sessions of a user that may be alive, in the order in which they expire. All that a version of the user has ended are elsewhere in it.
CREATE INDEX sessions_of_a_user
  ON portcullis.sessions (user_id, password_version, sessions_version, expires_at, id) WHERE signed_out = 0;
CREATE INDEX labelled_sessions ON portcullis.sessions (user_id, id) WHERE label IS NOT NULL;

-- Housekeeping finds expired rows by this and its like below, however many others there are. Their lifetimes may differ.
CREATE INDEX sessions_by_expiry ON portcullis.sessions (expires_at, id);

CREATE TABLE portcullis.keys (
  id         text COLLATE "C" PRIMARY KEY,
  kid        text NOT NULL,
  purpose    text NOT NULL,
  material   text NOT NULL,
  created_at bigint NOT NULL,
  signs_from bigint NOT NULL,
  retires_at bigint,
  retired    integer NOT NULL,
  version    bigint NOT NULL
);

-- Application tokens that were revoked before they expired.
CREATE TABLE portcullis.revoked_tokens (
  id             text COLLATE "C" PRIMARY KEY,
  application_id text NOT NULL,
  expires_at     bigint NOT NULL,
  version        bigint NOT NULL
);
CREATE INDEX revoked_tokens_by_expiry ON portcullis.revoked_tokens (expires_at, id);

-- A token ends with the versions of its user under which it was made. The label is that of a sign-in that waits for the second factor.
CREATE TABLE portcullis.one_time_tokens (
  id               text COLLATE "C" PRIMARY KEY,
  purpose          text NOT NULL,
  digest           text COLLATE "C" NOT NULL UNIQUE,
  user_id          text NOT NULL,
  application_id   text NOT NULL,
  password_version bigint NOT NULL,
  sessions_version bigint NOT NULL DEFAULT 1,
  email_version    bigint NOT NULL,
  email            text NOT NULL,
  label            text,
  expires_at       bigint NOT NULL,
  used             bigint NOT NULL,
  version          bigint NOT NULL,
  remembered       integer NOT NULL DEFAULT 0,
  first            text
);
CREATE INDEX one_time_tokens_by_expiry ON portcullis.one_time_tokens (expires_at, id);

-- Second factors and recovery codes. A removed one stays, without its secret. The challenges that a passkey has answered are separated by
-- spaces. Each is answered once, in any order.
CREATE TABLE portcullis.factors (
  id         text COLLATE "C" PRIMARY KEY,
  user_id    text NOT NULL,
  kind       text NOT NULL,
  name       text NOT NULL,
  material   text NOT NULL,
  mark       bigint NOT NULL,
  answered   text NOT NULL DEFAULT '',
  counter    bigint NOT NULL,
  flags      text NOT NULL,
  created_at bigint NOT NULL,
  used_at    bigint,
  removed    bigint NOT NULL,
  version    bigint NOT NULL
);
CREATE INDEX factors_by_user ON portcullis.factors (user_id, id) WHERE removed = 0;

-- Not part of the log: how often something failed lately, and until when further attempts are refused. The key is a digest.
CREATE TABLE portcullis.failure_counts (
  key            text COLLATE "C" PRIMARY KEY,
  kind           text COLLATE "C" NOT NULL DEFAULT '',
  count          bigint NOT NULL,
  refused_until  bigint NOT NULL,
  forgotten_from bigint NOT NULL,
  version        bigint NOT NULL
);

-- Finds the expired rows of a kind, and those that it drops first when it is full.
CREATE INDEX failure_counts_by_room ON portcullis.failure_counts (kind, (count > 1), forgotten_from);

-- What the running servers say of themselves, so that doctor can compare settings.
CREATE TABLE portcullis.server_notes (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  started_at bigint NOT NULL,
  seen_at    bigint NOT NULL,
  settings   text NOT NULL
);

-- Not part of the log: mails that wait, and those that failed. facts is JSON, and leased_until the end of the claim in milliseconds. The
-- last index finds request mails that no sender has looked at.
CREATE TABLE portcullis.mails (
  id             text COLLATE "C" PRIMARY KEY,
  kind           text NOT NULL,
  request        integer NOT NULL,
  user_id        text,
  address        text NOT NULL,
  language       text,
  application_id text,
  return_to      text,
  facts          text NOT NULL,
  created_at     bigint NOT NULL,
  due_at         bigint NOT NULL,
  expires_at     bigint NOT NULL,
  state          text NOT NULL,
  attempts       bigint NOT NULL,
  claims         bigint NOT NULL,
  claim          text,
  code           text,
  leased_until   bigint NOT NULL DEFAULT 0
);
CREATE INDEX mails_due ON portcullis.mails (due_at, id) WHERE state = 'waiting';
CREATE INDEX mails_failed ON portcullis.mails (expires_at, id) WHERE state = 'failed';
CREATE INDEX mails_unseen ON portcullis.mails (due_at, id) WHERE state = 'waiting' AND request = 1 AND claims = 0;

-- Not part of the log: what an OpenID provider keeps between two requests. A client may keep its refresh token for weeks, so consumed ones
-- stay until they expire.
CREATE TABLE portcullis.protocol_state (
  kind        text COLLATE "C" NOT NULL,
  id          text COLLATE "C" NOT NULL,
  session_id  text COLLATE "C",
  content     text NOT NULL,
  consumed_at bigint,
  expires_at  bigint NOT NULL,
  -- In the order in which the rows were added.
  position    bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (kind, id)
);
CREATE INDEX protocol_state_by_session ON portcullis.protocol_state (session_id, consumed_at)
  WHERE session_id IS NOT NULL;

-- Finds the expired rows, and those that a full kind drops first.
CREATE INDEX protocol_state_by_expiry ON portcullis.protocol_state (kind, expires_at);
