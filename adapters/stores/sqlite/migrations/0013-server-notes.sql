-- What the running servers say of themselves, so that doctor can compare settings. A back-up has no notes.
CREATE TABLE server_notes (
  id         TEXT PRIMARY KEY,
  name       TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  settings   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
