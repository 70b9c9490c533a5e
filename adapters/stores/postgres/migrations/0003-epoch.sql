-- Which server this is, as far as it says so: NULL where the user may not ask, which must not stop a commit.
CREATE FUNCTION portcullis.place() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT system_identifier FROM pg_catalog.pg_control_system())::text
    OPERATOR(pg_catalog.||) '/'
    OPERATOR(pg_catalog.||) pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8);
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$;

-- The epoch names this log among its copies. Before a copy is written to, it gets another one. It is a copy when its server has another
-- identifier or timeline, or when its table was made anew, as pg_restore does. Instances of the version before write none of these.
ALTER TABLE portcullis.head
  ADD COLUMN epoch    text NOT NULL DEFAULT pg_catalog.substr(pg_catalog.gen_random_uuid()::text, 1, 8),
  ADD COLUMN place    text,
  ADD COLUMN table_id oid;
UPDATE portcullis.head SET place = portcullis.place(), table_id = tableoid;
