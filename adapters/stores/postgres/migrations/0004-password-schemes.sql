-- How a password's record was made, in public words; '' where nobody said so: a removed user has none, and instances of the version
-- before write users without it, and passwords without correcting it.
ALTER TABLE portcullis.users ADD COLUMN password_scheme text COLLATE "C" NOT NULL DEFAULT '';

-- A record of ours is 1$pepper-id$base64, and its bytes are 'scrypt' NUL, log N (1 byte), r and p (4 bytes each), and more.
WITH ours AS (
  SELECT id, pg_catalog.split_part(password_record, '$', 2) AS pepper_id,
    pg_catalog.decode(pg_catalog.split_part(password_record, '$', 3), 'base64') AS kdf
  FROM portcullis.users WHERE password_record ~ '^1\$[^$]*\$[A-Za-z0-9+/]{128}$'
), costs AS (
  SELECT id, pepper_id, pg_catalog.get_byte(kdf, 7) AS log_n,
    pg_catalog.get_byte(kdf, 8)::bigint * 16777216 + pg_catalog.get_byte(kdf, 9) * 65536
      + pg_catalog.get_byte(kdf, 10) * 256 + pg_catalog.get_byte(kdf, 11) AS r,
    pg_catalog.get_byte(kdf, 12)::bigint * 16777216 + pg_catalog.get_byte(kdf, 13) * 65536
      + pg_catalog.get_byte(kdf, 14) * 256 + pg_catalog.get_byte(kdf, 15) AS p
  FROM ours WHERE pg_catalog.substr(kdf, 1, 7) = '\x73637279707400'::bytea
)
UPDATE portcullis.users SET password_scheme = 'scrypt ln=' || costs.log_n || ',r=' || costs.r || ',p=' || costs.p
  || CASE costs.pepper_id WHEN '' THEN '' ELSE ' pepper=' || costs.pepper_id END
FROM costs WHERE users.id = costs.id;

-- The next scheme behind one is found without reading a user.
CREATE INDEX users_by_password_scheme ON portcullis.users (password_scheme);
