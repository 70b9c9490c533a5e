-- The challenges that a passkey has answered, separated by spaces. Each is answered once, in any order.
ALTER TABLE factors ADD COLUMN answered TEXT NOT NULL DEFAULT '';
