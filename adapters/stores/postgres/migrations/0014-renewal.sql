-- Sessions that are renewed, and labels. NULL ends_at is expires_at: an instance of the former version beside this one writes none of
-- the columns.
ALTER TABLE portcullis.sessions ADD COLUMN ends_at bigint;
ALTER TABLE portcullis.sessions ADD COLUMN renewed_at bigint;
ALTER TABLE portcullis.sessions ADD COLUMN label text;

-- The list of PRUNABLE_TYPES (domain/retention.ts) has SessionRenewed.
CREATE OR REPLACE FUNCTION portcullis.expect_prunable() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  pruned bigint := (SELECT tree.pruned FROM portcullis.tree);
  head   bigint := (SELECT position FROM portcullis.head);
BEGIN
  IF EXISTS (
    SELECT 1 FROM deleted
    WHERE deleted.position > coalesce(pruned, 0)
      OR deleted.position >= head
      OR deleted.type NOT IN (
        'ApplicationTokenIssued', 'UserSignedIn', 'SessionRenewed', 'UserSignedOut', 'ApplicationTokenRefused',
        'SignInRefused', 'PasswordChangeRefused', 'RecoveryRefused', 'RegistrationRefused', 'EmailConfirmationRefused',
        'RefusalsSummarized'
      )
  ) THEN
    RAISE EXCEPTION 'the log is append-only';
  END IF;
  RETURN NULL;
END $$;
