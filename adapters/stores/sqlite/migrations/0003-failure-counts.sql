-- Not part of what the log speaks of: how often something failed lately, and until when nothing more is tried.
CREATE TABLE failure_counts (
  key            TEXT PRIMARY KEY,
  count          INTEGER NOT NULL,
  refused_until  INTEGER NOT NULL,
  forgotten_from INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX failure_counts_by_end ON failure_counts (forgotten_from);
