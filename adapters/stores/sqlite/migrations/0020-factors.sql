-- Second factors and recovery codes. A removed one stays, without its secret.
CREATE TABLE factors (
  id         TEXT PRIMARY KEY,
  user_id    TEXT NOT NULL,
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  material   TEXT NOT NULL,
  mark       INTEGER NOT NULL,
  counter    INTEGER NOT NULL,
  flags      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at    INTEGER,
  removed    INTEGER NOT NULL,
  version    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX factors_by_user ON factors (user_id, id) WHERE removed = 0;

-- The label of a sign-in that waits for the second factor. An instance of the former version writes none.
ALTER TABLE one_time_tokens ADD COLUMN label TEXT;

-- The list of PRUNABLE_TYPES (domain/retention.ts) has SecondFactorRequested and SecondFactorRefused.
DROP TRIGGER log_no_delete;
CREATE TRIGGER log_no_delete BEFORE DELETE ON log
WHEN (
    OLD.position > coalesce((SELECT pruned FROM tree), 0)
    OR OLD.position >= (SELECT max(position) FROM log)
    OR OLD.type NOT IN (
      'ApplicationTokenIssued', 'UserSignedIn', 'SecondFactorRequested', 'SessionRenewed', 'SessionSteppedUp',
      'UserSignedOut', 'ApplicationTokenRefused', 'SignInRefused', 'SecondFactorRefused', 'PasswordChangeRefused',
      'RecoveryRefused', 'RegistrationRefused', 'EmailConfirmationRefused', 'RefusalsSummarized'
    )
  )
  AND NOT EXISTS (SELECT 1 FROM log_epoch WHERE copy_state = 'incomplete')
BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;
