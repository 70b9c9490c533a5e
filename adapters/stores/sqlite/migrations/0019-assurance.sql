-- How and when the user of a session was authenticated last. NULL methods are 'password', and a NULL time is created_at: sessions of former
-- versions have neither.
ALTER TABLE sessions ADD COLUMN methods TEXT;
ALTER TABLE sessions ADD COLUMN authenticated_at INTEGER;

-- The list of PRUNABLE_TYPES (domain/retention.ts) has SessionSteppedUp.
DROP TRIGGER log_no_delete;
CREATE TRIGGER log_no_delete BEFORE DELETE ON log
WHEN (
    OLD.position > coalesce((SELECT pruned FROM tree), 0)
    OR OLD.position >= (SELECT max(position) FROM log)
    OR OLD.type NOT IN (
      'ApplicationTokenIssued', 'UserSignedIn', 'SessionRenewed', 'SessionSteppedUp', 'UserSignedOut',
      'ApplicationTokenRefused', 'SignInRefused', 'PasswordChangeRefused', 'RecoveryRefused', 'RegistrationRefused',
      'EmailConfirmationRefused', 'RefusalsSummarized'
    )
  )
  AND NOT EXISTS (SELECT 1 FROM log_epoch WHERE copy_state = 'incomplete')
BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;
