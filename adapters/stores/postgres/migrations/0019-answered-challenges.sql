-- The challenges that a passkey has answered, separated by spaces. Each is answered once, in any order.
ALTER TABLE portcullis.factors ADD COLUMN answered text NOT NULL DEFAULT '';
