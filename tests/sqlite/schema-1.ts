import { readFileSync } from 'node:fs'
import { withRaw } from './raw.ts'

/** A file with schema 1 and a row in every table. */
export const laySchema1 = (path: string): void =>
  withRaw(path, (db) => {
    db.pragma('journal_mode = WAL')
    db.exec(
      readFileSync(
        new URL('../../adapters/stores/sqlite/migrations/0001-initial.sql', import.meta.url),
        'utf8',
      ),
    )
    db.pragma('user_version = 1')
    db.pragma(`application_id = ${0x504f5254}`)
    db.exec(ROWS)
  })

const ROWS = `
INSERT INTO applications (id, name, scope, key_id, key_digest, version)
  VALUES ('shop', 'Shop', 'users:sign_in users:register', 'key', '${'a1'.repeat(32)}', 3);
INSERT INTO users (id, email, email_key, password_record, password_version, version)
  VALUES ('ada', 'Ada@example.com', 'ada@example.com', '1$$c2NyeXB0', 2, 4),
         ('bob', 'bob@example.com', 'bob@example.com', '1$$Ym9i', 1, 1);
INSERT INTO sessions (id, user_id, password_version, expires_at, signed_out, version)
  VALUES ('of-ada', 'ada', 2, 4102444800, 0, 2);
INSERT INTO keys (id, kid, purpose, material, created_at, version)
  VALUES ('user-1', 'kid-of-users', 'user', 'k4.secret.x', 1767323046, 1),
         ('application-1', 'kid-of-applications', 'application', '{"kty":"OKP"}', 1767323045, 1);
INSERT INTO log (position, id, type, version, at, subject_kind, subject_id, actor_kind, actor_id, request_id, data)
  VALUES (1, 'event-1', 'SigningKeyCreated', 1, '2026-01-02T03:04:05.000Z', 'key', 'kid-of-applications',
          'nobody', NULL, NULL, '{"purpose":"application"}'),
         (2, 'event-2', 'UserRegistered', 1, '2026-01-02T03:04:05.678Z', 'user', 'ada',
          'operator', NULL, NULL, '{"password_digest":"5e"}'),
         (3, 'event-3', 'UserSignedIn', 1, '2026-01-02T03:04:06.000Z', 'user', 'ada',
          'application', 'shop', 'request-1', '{"session_id":"of-ada","expires_at":"2100-01-01T00:00:00.000Z"}');
`
