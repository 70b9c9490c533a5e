-- The list of PRUNABLE_TYPES (domain/retention.ts) has two more refusals.
DROP TRIGGER log_no_delete;
CREATE TRIGGER log_no_delete BEFORE DELETE ON log
WHEN OLD.position > coalesce((SELECT pruned FROM tree), 0)
  OR OLD.position >= (SELECT max(position) FROM log)
  OR OLD.type NOT IN (
    'ApplicationTokenIssued', 'UserSignedIn', 'UserSignedOut', 'ApplicationTokenRefused', 'SignInRefused',
    'PasswordChangeRefused', 'RecoveryRefused', 'RegistrationRefused', 'EmailConfirmationRefused',
    'RefusalsSummarized'
  )
BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;
