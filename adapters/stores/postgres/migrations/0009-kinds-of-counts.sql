-- What a count is about, so that a full kind drops only its own rows. '' for rows that the version before wrote, until their next
-- update: instances of that version do not know the column.
ALTER TABLE portcullis.failure_counts ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT '';

-- Finds the expired rows of a kind, and those that it drops first when it is full.
CREATE INDEX failure_counts_by_room ON portcullis.failure_counts (kind, (count > 1), forgotten_from);
DROP INDEX portcullis.failure_counts_by_end;
