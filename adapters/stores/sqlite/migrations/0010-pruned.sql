-- The last position of which the entry may be missing.
ALTER TABLE tree ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;

-- Up to there, entries may be deleted that changed nothing, or only something that expires: those of PRUNABLE_TYPES
-- (domain/retention.ts). The last entry stays, because the next position follows it.
DROP TRIGGER log_no_delete;
CREATE TRIGGER log_no_delete BEFORE DELETE ON log
WHEN OLD.position > coalesce((SELECT pruned FROM tree), 0)
  OR OLD.position >= (SELECT max(position) FROM log)
  OR OLD.type NOT IN (
    'ApplicationTokenIssued', 'UserSignedIn', 'UserSignedOut', 'ApplicationTokenRefused', 'SignInRefused',
    'PasswordChangeRefused', 'RecoveryRefused', 'RefusalsSummarized'
  )
BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;
