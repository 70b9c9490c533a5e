-- How a password's record was made, in public words; '' where nobody said so: a removed user has none, and a process of the version
-- before that still has this file open writes users without it, and passwords without correcting it.
ALTER TABLE users ADD COLUMN password_scheme TEXT NOT NULL DEFAULT '';

-- The function is there while migrations run.
UPDATE users SET password_scheme = scheme_of_record(password_record) WHERE password_record <> '';

-- The next scheme behind one is found without reading a user.
CREATE INDEX users_by_password_scheme ON users (password_scheme);
