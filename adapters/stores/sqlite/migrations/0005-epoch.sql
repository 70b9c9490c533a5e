-- Names this log among its copies: a back-up that is restored takes another epoch before it writes. Only a back-up has is_copy = 1.
CREATE TABLE log_epoch (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  epoch   TEXT NOT NULL,
  is_copy INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO log_epoch (one, epoch) VALUES (1, lower(hex(randomblob(4))));
