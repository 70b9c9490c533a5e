-- Sessions that are renewed, and labels. NULL ends_at is expires_at: a process of the former version that still has this file open
-- writes none of the columns.
ALTER TABLE sessions ADD COLUMN ends_at INTEGER;
ALTER TABLE sessions ADD COLUMN renewed_at INTEGER;
ALTER TABLE sessions ADD COLUMN label TEXT;

-- The list of PRUNABLE_TYPES (domain/retention.ts) has SessionRenewed.
DROP TRIGGER log_no_delete;
CREATE TRIGGER log_no_delete BEFORE DELETE ON log
WHEN OLD.position > coalesce((SELECT pruned FROM tree), 0)
  OR OLD.position >= (SELECT max(position) FROM log)
  OR OLD.type NOT IN (
    'ApplicationTokenIssued', 'UserSignedIn', 'SessionRenewed', 'UserSignedOut', 'ApplicationTokenRefused',
    'SignInRefused', 'PasswordChangeRefused', 'RecoveryRefused', 'RegistrationRefused', 'EmailConfirmationRefused',
    'RefusalsSummarized'
  )
BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;
