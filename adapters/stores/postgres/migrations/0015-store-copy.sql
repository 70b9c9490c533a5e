-- What store copy makes of the store: NULL, 'incomplete' or 'moved'. A complete copy keeps copy_id.
ALTER TABLE portcullis.head ADD COLUMN copy_state text, ADD COLUMN copy_id text, ADD COLUMN copy_place text;

-- The trigger reads the head anyway, so it also refuses the entries of other instances, of the former version too. The copy that fills
-- an incomplete store names itself in its transaction. Its entries may have gaps.
CREATE OR REPLACE FUNCTION portcullis.expect_next() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- An incomplete log may be emptied.
CREATE OR REPLACE FUNCTION portcullis.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' AND TG_TABLE_NAME = 'log' AND EXISTS (SELECT 1 FROM portcullis.head WHERE copy_state = 'incomplete') THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'the log is append-only';
END $$;
