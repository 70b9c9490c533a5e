-- What store copy makes of the store: NULL, 'incomplete' or 'moved'. A complete copy keeps copy_id.
ALTER TABLE log_epoch ADD COLUMN copy_state TEXT;
ALTER TABLE log_epoch ADD COLUMN copy_id TEXT;
ALTER TABLE log_epoch ADD COLUMN copy_place TEXT;

-- An incomplete store takes a log with its gaps, and may be emptied.
DROP TRIGGER log_next_only;
CREATE TRIGGER log_next_only BEFORE INSERT ON log
WHEN NEW.position <> (SELECT coalesce(max(position), 0) + 1 FROM log)
    AND NOT EXISTS (SELECT 1 FROM log_epoch WHERE copy_state = 'incomplete')
  OR EXISTS (SELECT 1 FROM log WHERE id = NEW.id)
BEGIN
  SELECT RAISE(ABORT, 'the log takes the next position only');
END;

DROP TRIGGER log_no_delete;
CREATE TRIGGER log_no_delete BEFORE DELETE ON log
WHEN (
    OLD.position > coalesce((SELECT pruned FROM tree), 0)
    OR OLD.position >= (SELECT max(position) FROM log)
    OR OLD.type NOT IN (
      'ApplicationTokenIssued', 'UserSignedIn', 'SessionRenewed', 'UserSignedOut', 'ApplicationTokenRefused',
      'SignInRefused', 'PasswordChangeRefused', 'RecoveryRefused', 'RegistrationRefused', 'EmailConfirmationRefused',
      'RefusalsSummarized'
    )
  )
  AND NOT EXISTS (SELECT 1 FROM log_epoch WHERE copy_state = 'incomplete')
BEGIN
  SELECT RAISE(ABORT, 'the log is append-only');
END;

-- The keys of counts are digests, as in PostgreSQL, so that a copy from there finds them. The function is there while migrations run.
-- A new table in the order of its keys takes a quarter of the time of an update, which would write all over the old one.
CREATE TABLE digested_counts (
  key            TEXT PRIMARY KEY,
  count          INTEGER NOT NULL,
  refused_until  INTEGER NOT NULL,
  forgotten_from INTEGER NOT NULL,
  kind           TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
INSERT INTO digested_counts (key, count, refused_until, forgotten_from, kind)
SELECT digest_of_key(key) AS digest, count, refused_until, forgotten_from, kind FROM failure_counts ORDER BY digest;
DROP TABLE failure_counts;
ALTER TABLE digested_counts RENAME TO failure_counts;
CREATE INDEX failure_counts_by_room ON failure_counts (kind, count > 1, forgotten_from);
