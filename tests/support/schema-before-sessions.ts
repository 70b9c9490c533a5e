/**
 * The contents of a store from before sessions recorded their time and application: rows, and log entries
 * that end at position 5, valid for SQLite and PostgreSQL.
 *
 * @param prefix of every table
 */
export const rowsBeforeSessions = (prefix = ''): string => `
INSERT INTO ${prefix}applications (id, name, scope, key_id, key_digest, revoked, version)
  VALUES ('shop', 'Shop', 'users:sign_in', 'key', '${'a1'.repeat(32)}', 0, 1);
INSERT INTO ${prefix}users (id, email, email_key, password_record, password_version, status, version)
  VALUES ('ada', 'ada@example.com', 'ada@example.com', 'record', 1, 'enabled', 1);
INSERT INTO ${prefix}sessions (id, user_id, password_version, expires_at, signed_out, version)
  VALUES ('by-shop', 'ada', 1, 4102444800, 0, 1),
         ('ended', 'ada', 1, 4102444801, 1, 2),
         ('by-operator', 'ada', 1, 4102444802, 0, 1);
INSERT INTO ${prefix}log (position, id, type, version, at, subject_kind, subject_id, actor_kind, actor_id, request_id, data)
  VALUES
    (1, 'event-1', 'UserRegistered', 1, '2026-01-02T03:04:05.678Z', 'user', 'ada', 'operator', NULL, NULL,
      '{"password_digest":"5e"}'),
    (2, 'event-2', 'UserSignedIn', 1, '2026-01-02T03:04:06.999Z', 'user', 'ada', 'application', 'shop', 'request-1',
      '{"session_id":"by-shop","expires_at":"2100-01-01T00:00:00.000Z"}'),
    (3, 'event-3', 'UserSignedIn', 1, '2026-01-02T03:04:07.001Z', 'user', 'ada', 'application', 'other', NULL,
      '{"session_id":"ended","expires_at":"2100-01-01T00:00:01.000Z"}'),
    (4, 'event-4', 'UserSignedOut', 1, '2026-01-02T03:04:08.000Z', 'user', 'ada', 'user', 'ada', NULL,
      '{"session_id":"ended"}'),
    (5, 'event-5', 'UserSignedIn', 1, '2026-01-02T03:04:09.000Z', 'user', 'ada', 'operator', NULL, NULL,
      '{"session_id":"by-operator","expires_at":"2100-01-01T00:00:02.000Z"}');
`

/** How the previous version writes a session into the current schema. */
export const sessionOfBefore = (prefix = ''): string => `
INSERT INTO ${prefix}sessions (id, user_id, password_version, expires_at, signed_out, version)
  VALUES ('of-before', 'ada', 1, 4102444803, 0, 1)`
