-- The Merkle tree of the log. It follows from the log alone, and the service computes it behind the entries.
CREATE TABLE portcullis.tree (
  one           boolean PRIMARY KEY DEFAULT true CHECK (one),
  origin_prefix text NOT NULL DEFAULT '',
  size          bigint NOT NULL DEFAULT 0,
  root          text NOT NULL DEFAULT '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', -- of no entries
  note          text NOT NULL DEFAULT ''
) WITH (fillfactor = 10);
INSERT INTO portcullis.tree DEFAULT VALUES;

-- Up to 256 hashes of 32 bytes each. A tile that is not full yet only grows.
CREATE TABLE portcullis.tiles (
  level  integer NOT NULL,
  n      bigint NOT NULL,
  hashes bytea NOT NULL,
  PRIMARY KEY (level, n)
);
