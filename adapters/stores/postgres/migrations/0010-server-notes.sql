-- What the running servers say of themselves, so that doctor can compare settings.
CREATE TABLE portcullis.server_notes (
  id         text PRIMARY KEY,
  name       text NOT NULL,
  started_at bigint NOT NULL,
  seen_at    bigint NOT NULL,
  settings   text NOT NULL
);
