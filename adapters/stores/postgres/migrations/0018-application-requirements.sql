-- The assurance that an application requires, and the origins of its pages with passkeys, separated by spaces. An instance of the former
-- version writes neither.
ALTER TABLE portcullis.applications ADD COLUMN required_assurance text NOT NULL DEFAULT 'aal1';
ALTER TABLE portcullis.applications ADD COLUMN passkey_origins text NOT NULL DEFAULT '';
