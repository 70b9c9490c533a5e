-- Texts are compared byte by byte, which in UTF-8 is code point by code point.

-- The event log: append-only by schema, not by good will.
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

-- The last position that was given. Whoever appends holds this row until the commit, so that positions show in their order.
CREATE TABLE portcullis.head (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),
  position bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO portcullis.head (position) VALUES (0);

CREATE FUNCTION portcullis.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log is append-only';
END $$;

CREATE TRIGGER log_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON portcullis.log
  FOR EACH STATEMENT EXECUTE FUNCTION portcullis.refuse();
CREATE TRIGGER head_no_removal BEFORE DELETE OR TRUNCATE ON portcullis.head
  FOR EACH STATEMENT EXECUTE FUNCTION portcullis.refuse();

-- What was appended ends at the head and begins right behind what was there.
CREATE FUNCTION portcullis.expect_next() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  first bigint;
  last  bigint;
  many  bigint;
BEGIN
  SELECT min(position), max(position), count(*) INTO first, last, many FROM appended;
  IF many > 0 AND (
    last <> (SELECT position FROM portcullis.head)
    OR first < 1
    OR last - first + 1 <> many
    OR (first > 1 AND NOT EXISTS (SELECT 1 FROM portcullis.log WHERE position = first - 1))
  ) THEN
    RAISE EXCEPTION 'the log takes the next positions only';
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER log_next_only AFTER INSERT ON portcullis.log
  REFERENCING NEW TABLE AS appended
  FOR EACH STATEMENT EXECUTE FUNCTION portcullis.expect_next();

CREATE TABLE portcullis.applications (
  id                  text COLLATE "C" PRIMARY KEY,
  name                text NOT NULL,
  scope               text NOT NULL,
  key_id              text NOT NULL,
  key_digest          text NOT NULL,
  previous_key_id     text,
  previous_key_digest text,
  previous_until      bigint,
  revoked             integer NOT NULL,
  version             bigint NOT NULL
);

CREATE TABLE portcullis.users (
  id               text COLLATE "C" PRIMARY KEY,
  email            text NOT NULL,
  email_key        text COLLATE "C" NOT NULL UNIQUE, -- judged row by row: whoever waits for one has not taken the next yet
  password_record  text NOT NULL,
  password_version bigint NOT NULL,
  status           text NOT NULL,
  version          bigint NOT NULL
);

CREATE TABLE portcullis.sessions (
  id               text COLLATE "C" PRIMARY KEY,
  user_id          text COLLATE "C" NOT NULL,
  password_version bigint NOT NULL,
  expires_at       bigint NOT NULL,
  signed_out       integer NOT NULL,
  version          bigint NOT NULL
);

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

-- Not part of what the log speaks of: how often something failed lately, and until when nothing more is tried.
CREATE TABLE portcullis.failure_counts (
  key            text COLLATE "C" PRIMARY KEY,
  count          bigint NOT NULL,
  refused_until  bigint NOT NULL,
  forgotten_from bigint NOT NULL,
  version        bigint NOT NULL
);
CREATE INDEX failure_counts_by_end ON portcullis.failure_counts (forgotten_from);
