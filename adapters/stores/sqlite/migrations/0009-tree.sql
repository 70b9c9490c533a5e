-- The Merkle tree of the log. It follows from the log alone, and the service computes it behind the entries.
CREATE TABLE tree (
  one           INTEGER PRIMARY KEY CHECK (one = 1),
  origin_prefix TEXT NOT NULL DEFAULT '',
  size          INTEGER NOT NULL DEFAULT 0,
  root          TEXT NOT NULL DEFAULT '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', -- of no entries
  note          TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO tree DEFAULT VALUES;

-- Up to 256 hashes of 32 bytes each. A tile that is not full yet only grows.
CREATE TABLE tiles (
  level  INTEGER NOT NULL,
  n      INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (level, n)
) STRICT;
