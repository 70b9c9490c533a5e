-- What ends sessions only, and leaves one-time tokens.
ALTER TABLE portcullis.users ADD COLUMN sessions_version bigint NOT NULL DEFAULT 1;
ALTER TABLE portcullis.users ADD COLUMN all_ended_version bigint NOT NULL DEFAULT 1;
ALTER TABLE portcullis.sessions ADD COLUMN sessions_version bigint NOT NULL DEFAULT 1;
ALTER TABLE portcullis.one_time_tokens ADD COLUMN sessions_version bigint NOT NULL DEFAULT 1;

-- The sessions of a user that may be alive, in the order in which they expire. All that a version of the user has ended are elsewhere in it.
DROP INDEX portcullis.sessions_of_a_user;
CREATE INDEX sessions_of_a_user
  ON portcullis.sessions (user_id, password_version, sessions_version, expires_at, id) WHERE signed_out = 0;

-- A change of a user ends any number of sessions, and touches none of them. Housekeeping then erases their labels: it finds the users
-- whose versions were raised since it last did so, and the labels that a user has left.
ALTER TABLE portcullis.users ADD COLUMN labels_erased_at bigint NOT NULL DEFAULT 2;
CREATE INDEX users_with_ended_labels ON portcullis.users (id) WHERE labels_erased_at <> password_version + sessions_version;
CREATE INDEX labelled_sessions ON portcullis.sessions (user_id, id) WHERE label IS NOT NULL;
