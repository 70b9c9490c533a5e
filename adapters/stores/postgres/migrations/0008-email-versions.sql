-- One-time tokens end with the e-mail under which they were made, also if the user has the same address again. So both count its
-- changes, all of which are in the log. An instance of the former version writes neither column: its
-- tokens are judged by the address, and its changes are not counted.
ALTER TABLE portcullis.one_time_tokens ADD COLUMN email_version bigint;
ALTER TABLE portcullis.users ADD COLUMN email_version bigint NOT NULL DEFAULT 1;

WITH counted AS (
  SELECT subject_id AS user_id, count(*) AS changes FROM portcullis.log
  WHERE type = 'EmailConfirmed' AND data::json ->> 'changed' = 'true'
  GROUP BY subject_id
)
UPDATE portcullis.users SET email_version = 1 + counted.changes FROM counted WHERE users.id = counted.user_id;

WITH changed AS MATERIALIZED (
  SELECT subject_id AS user_id, position FROM portcullis.log
  WHERE type = 'EmailConfirmed' AND data::json ->> 'changed' = 'true'
), started AS MATERIALIZED (
  SELECT data::json ->> 'token_id' AS token_id, subject_id AS user_id, position FROM portcullis.log
  WHERE type IN ('RecoveryStarted', 'EmailConfirmationStarted')
), counted AS (
  SELECT started.token_id, 1 + count(changed.position) AS version
  FROM started LEFT JOIN changed ON changed.user_id = started.user_id AND changed.position < started.position
  GROUP BY started.token_id
)
UPDATE portcullis.one_time_tokens SET email_version = counted.version FROM counted WHERE one_time_tokens.id = counted.token_id;
