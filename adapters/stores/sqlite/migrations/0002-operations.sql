ALTER TABLE applications ADD COLUMN previous_key_id TEXT;
ALTER TABLE applications ADD COLUMN previous_key_digest TEXT;
ALTER TABLE applications ADD COLUMN previous_until INTEGER;
ALTER TABLE applications ADD COLUMN revoked INTEGER NOT NULL DEFAULT 0;

ALTER TABLE users ADD COLUMN status TEXT NOT NULL DEFAULT 'enabled';

-- A key that was there before has been signing since it was made.
ALTER TABLE keys ADD COLUMN signs_from INTEGER NOT NULL DEFAULT 0;
ALTER TABLE keys ADD COLUMN retires_at INTEGER;
ALTER TABLE keys ADD COLUMN retired INTEGER NOT NULL DEFAULT 0;
