-- What a count is about, so that a full kind drops only its own rows. '' for rows of the version before, until their next update.
ALTER TABLE failure_counts ADD COLUMN kind TEXT NOT NULL DEFAULT '';

-- Finds the expired rows of a kind, and those that it drops first when it is full.
CREATE INDEX failure_counts_by_room ON failure_counts (kind, count > 1, forgotten_from);
DROP INDEX failure_counts_by_end;
