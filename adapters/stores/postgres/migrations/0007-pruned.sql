-- The last position of which the entry may be missing.
ALTER TABLE portcullis.tree ADD COLUMN pruned bigint NOT NULL DEFAULT 0;

-- Up to there, entries may be deleted that changed nothing, or only something that expires: those of PRUNABLE_TYPES
-- (domain/retention.ts). The last entry stays, because the next position follows it.
CREATE FUNCTION portcullis.expect_prunable() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  pruned bigint := (SELECT tree.pruned FROM portcullis.tree);
  head   bigint := (SELECT position FROM portcullis.head);
BEGIN
  IF EXISTS (
    SELECT 1 FROM deleted
    WHERE deleted.position > coalesce(pruned, 0)
      OR deleted.position >= head
      OR deleted.type NOT IN (
        'ApplicationTokenIssued', 'UserSignedIn', 'UserSignedOut', 'ApplicationTokenRefused', 'SignInRefused',
        'PasswordChangeRefused', 'RecoveryRefused', 'RefusalsSummarized'
      )
  ) THEN
    RAISE EXCEPTION 'the log is append-only';
  END IF;
  RETURN NULL;
END $$;

DROP TRIGGER log_no_change ON portcullis.log;
CREATE TRIGGER log_no_change BEFORE UPDATE OR TRUNCATE ON portcullis.log
  FOR EACH STATEMENT EXECUTE FUNCTION portcullis.refuse();
CREATE TRIGGER log_no_delete AFTER DELETE ON portcullis.log
  REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION portcullis.expect_prunable();
