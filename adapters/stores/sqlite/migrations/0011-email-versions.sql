-- One-time tokens end with the e-mail under which they were made, also if the user has the same address again. So both count its
-- changes, all of which are in the log. A process of the former version that still has this file open writes neither column: its
-- tokens are judged by the address, and its changes are not counted.
ALTER TABLE one_time_tokens ADD COLUMN email_version INTEGER;
ALTER TABLE users ADD COLUMN email_version INTEGER NOT NULL DEFAULT 1;

WITH counted AS (
  SELECT subject_id AS user_id, count(*) AS changes FROM log
  WHERE type = 'EmailConfirmed' AND json_extract(data, '$.changed')
  GROUP BY subject_id
)
UPDATE users SET email_version = 1 + counted.changes FROM counted WHERE users.id = counted.user_id;

WITH changed AS MATERIALIZED (
  SELECT subject_id AS user_id, position FROM log
  WHERE type = 'EmailConfirmed' AND json_extract(data, '$.changed')
), started AS MATERIALIZED (
  SELECT json_extract(data, '$.token_id') AS token_id, subject_id AS user_id, position FROM log
  WHERE type IN ('RecoveryStarted', 'EmailConfirmationStarted')
), counted AS (
  SELECT started.token_id, 1 + count(changed.position) AS version
  FROM started LEFT JOIN changed ON changed.user_id = started.user_id AND changed.position < started.position
  GROUP BY started.token_id
)
UPDATE one_time_tokens SET email_version = counted.version FROM counted WHERE one_time_tokens.id = counted.token_id;
