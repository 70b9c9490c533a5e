-- Whether the user proved to receive mail at the address, and when the user registered. The log knows the latter of every user.
-- Instances of the former version write users without them.
ALTER TABLE portcullis.users ADD COLUMN email_verified bigint NOT NULL DEFAULT 0, ADD COLUMN created_at bigint;
UPDATE portcullis.users SET created_at = pg_catalog.floor(extract(epoch FROM log.at::timestamptz))
FROM portcullis.log
WHERE log.type = 'UserRegistered' AND log.subject_id = users.id AND users.status <> 'removed';

-- Lists of users skip removed ones without reading them.
CREATE INDEX users_listed ON portcullis.users (id) WHERE status <> 'removed';
CREATE INDEX users_by_status ON portcullis.users (status, id) WHERE status <> 'removed';

CREATE TABLE portcullis.one_time_tokens (
  id               text COLLATE "C" PRIMARY KEY,
  purpose          text NOT NULL,
  digest           text COLLATE "C" NOT NULL UNIQUE,
  user_id          text NOT NULL,
  application_id   text NOT NULL,
  password_version bigint NOT NULL,
  email_on_record  text NOT NULL,
  email            text NOT NULL,
  expires_at       bigint NOT NULL,
  used             bigint NOT NULL,
  version          bigint NOT NULL
);
