-- The assurance that an application requires, and the origins of its pages with passkeys, separated by spaces. An instance of the former
-- version writes neither.
ALTER TABLE applications ADD COLUMN required_assurance TEXT NOT NULL DEFAULT 'aal1';
ALTER TABLE applications ADD COLUMN passkey_origins TEXT NOT NULL DEFAULT '';
