-- How and when the user of a session was authenticated last. NULL methods are 'password', and a NULL time is created_at: sessions of former
-- versions have neither.
ALTER TABLE portcullis.sessions ADD COLUMN methods text;
ALTER TABLE portcullis.sessions ADD COLUMN authenticated_at bigint;

-- The list of PRUNABLE_TYPES (domain/retention.ts) has SessionSteppedUp.
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
        'ApplicationTokenIssued', 'UserSignedIn', 'SessionRenewed', 'SessionSteppedUp', 'UserSignedOut',
        'ApplicationTokenRefused', 'SignInRefused', 'PasswordChangeRefused', 'RecoveryRefused', 'RegistrationRefused',
        'EmailConfirmationRefused', 'RefusalsSummarized'
      )
  ) THEN
    RAISE EXCEPTION 'the log is append-only';
  END IF;
  RETURN NULL;
END $$;
