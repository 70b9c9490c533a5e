-- Second factors and recovery codes. A removed one stays, without its secret.
CREATE TABLE portcullis.factors (
  id         text COLLATE "C" PRIMARY KEY,
  user_id    text NOT NULL,
  kind       text NOT NULL,
  name       text NOT NULL,
  material   text NOT NULL,
  mark       bigint NOT NULL,
  counter    bigint NOT NULL,
  flags      text NOT NULL,
  created_at bigint NOT NULL,
  used_at    bigint,
  removed    bigint NOT NULL,
  version    bigint NOT NULL
);
CREATE INDEX factors_by_user ON portcullis.factors (user_id, id) WHERE removed = 0;

-- The label of a sign-in that waits for the second factor. An instance of the former version writes none.
ALTER TABLE portcullis.one_time_tokens ADD COLUMN label text;

-- The list of PRUNABLE_TYPES (domain/retention.ts) has SecondFactorRequested and SecondFactorRefused.
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
        'ApplicationTokenIssued', 'UserSignedIn', 'SecondFactorRequested', 'SessionRenewed', 'SessionSteppedUp',
        'UserSignedOut', 'ApplicationTokenRefused', 'SignInRefused', 'SecondFactorRefused', 'PasswordChangeRefused',
        'RecoveryRefused', 'RegistrationRefused', 'EmailConfirmationRefused', 'RefusalsSummarized'
      )
  ) THEN
    RAISE EXCEPTION 'the log is append-only';
  END IF;
  RETURN NULL;
END $$;
