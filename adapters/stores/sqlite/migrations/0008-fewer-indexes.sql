-- An import of random ids writes each index of users in other places, so each one costs as much as the table.

-- users_by_status lists users of any status too, as the union of two.
DROP INDEX users_listed;

-- The password schemes in use are counted instead. Triggers count for a process of the former version, too.
CREATE TABLE password_schemes (
  scheme TEXT PRIMARY KEY,
  users  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO password_schemes (scheme, users)
  SELECT password_scheme, count(*) FROM users WHERE password_scheme <> '' GROUP BY password_scheme;
DROP INDEX users_by_password_scheme;

CREATE TRIGGER password_scheme_added AFTER INSERT ON users WHEN NEW.password_scheme <> ''
BEGIN
  INSERT INTO password_schemes (scheme, users) VALUES (NEW.password_scheme, 1)
    ON CONFLICT (scheme) DO UPDATE SET users = users + 1;
END;

CREATE TRIGGER password_scheme_changed AFTER UPDATE OF password_scheme ON users WHEN NEW.password_scheme <> OLD.password_scheme
BEGIN
  UPDATE password_schemes SET users = users - 1 WHERE scheme = OLD.password_scheme;
  INSERT INTO password_schemes (scheme, users) SELECT NEW.password_scheme, 1 WHERE NEW.password_scheme <> ''
    ON CONFLICT (scheme) DO UPDATE SET users = users + 1;
  DELETE FROM password_schemes WHERE scheme = OLD.password_scheme AND users = 0;
END;

CREATE TRIGGER password_scheme_removed AFTER DELETE ON users WHEN OLD.password_scheme <> ''
BEGIN
  UPDATE password_schemes SET users = users - 1 WHERE scheme = OLD.password_scheme;
  DELETE FROM password_schemes WHERE scheme = OLD.password_scheme AND users = 0;
END;
