/**
 * Removes every row of a service and gives the log a new epoch, as in a new schema. This takes a
 * small part of the time of creating the schema.
 */
export const REMOVE_ROWS = `DO $$
DECLARE
  name text;
BEGIN
  SET LOCAL session_replication_role = replica; -- without the triggers that keep the log
  FOR name IN
    SELECT relname FROM pg_class
    WHERE relnamespace = 'portcullis'::regnamespace AND relkind = 'r' AND relname <> 'migrations'
  LOOP
    EXECUTE format('DELETE FROM portcullis.%I', name);
  END LOOP;
  INSERT INTO portcullis.head (position) VALUES (0);
  INSERT INTO portcullis.tree DEFAULT VALUES;
  UPDATE portcullis.head SET place = portcullis.place(), table_id = tableoid;
END $$`

/**
 * One text that changes with every change of the schema: its catalog rows, each with the transaction that
 * wrote it, and the migrations. TRUNCATE does not change it: it writes rows of `pg_class`, so that these count without their transaction.
 */
export const SCHEMA = `
  WITH ours AS (SELECT * FROM pg_class WHERE relnamespace = 'portcullis'::regnamespace)
  SELECT md5(string_agg(part, ' ' ORDER BY part)) AS schema FROM (
    SELECT 'class ' || (oid, relname, relkind, relowner, relacl, relnatts, relchecks, relhastriggers, reloptions)::text FROM ours
    UNION ALL SELECT 'column ' || attrelid || ' ' || attnum || ' ' || xmin FROM pg_attribute WHERE attrelid IN (SELECT oid FROM ours)
    UNION ALL SELECT 'constraint ' || oid || ' ' || xmin FROM pg_constraint WHERE conrelid IN (SELECT oid FROM ours)
    UNION ALL SELECT 'trigger ' || oid || ' ' || xmin FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM ours)
    UNION ALL SELECT 'function ' || oid || ' ' || xmin FROM pg_proc WHERE pronamespace = 'portcullis'::regnamespace
    UNION ALL SELECT 'migration ' || number || ' ' || name FROM portcullis.migrations
  ) AS parts (part)`
