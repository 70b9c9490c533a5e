import { expect } from 'chai'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import type { Store, StoreUnavailable } from '../../application/ports/store.ts'
import { fail, succeed } from '../support/outcome.ts'
import {
  aKey,
  anApplication,
  aRevokedToken,
  aSession,
  aUser,
  change,
  createdKey,
  registered,
  registeredApplication,
  revokedToken,
  signedIn,
} from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

type Read = (store: Store) => TaskEither<StoreUnavailable, unknown>

const EVERYTHING = { after: '', limit: 100 }
const READS = {
  applications: (store) => store.listRows({ table: 'applications', ...EVERYTHING }),
  users: (store) => store.listRows({ table: 'users', ...EVERYTHING }),
  sessions: (store) => store.listRows({ table: 'sessions', ...EVERYTHING }),
  keys: (store) => store.listRows({ table: 'keys', ...EVERYTHING }),
  revoked_tokens: (store) => store.findTokenHolder('shop', 'token'),
  'the log': (store) => store.readEvents({ after: 0, limit: 100 }),
} as const satisfies Record<string, Read>

/** Rows that only a manual edit can produce. */
const DAMAGES: ReadonlyArray<readonly [place: keyof typeof READS, sql: string]> = [
  ['applications', "UPDATE applications SET scope = 'everything'"],
  ['applications', 'UPDATE applications SET revoked = 2'],
  ['applications', "UPDATE applications SET required_assurance = 'aal3'"],
  ['applications', "UPDATE applications SET passkey_origins = ' https://shop.example'"],
  ['applications', "UPDATE applications SET previous_key_id = 'k'"],
  ['applications', "UPDATE applications SET previous_key_id = 'k', previous_key_digest = 'd'"],
  ['applications', 'UPDATE applications SET previous_until = 1'],
  ['users', "UPDATE users SET status = 'asleep'"],
  ['users', "UPDATE users SET status = ''"],
  ['users', 'UPDATE users SET password_version = 9007199254740993'],
  ['sessions', 'UPDATE sessions SET signed_out = -1'],
  ['sessions', 'UPDATE sessions SET created_at = 9007199254740993'],
  ['revoked_tokens', 'UPDATE revoked_tokens SET expires_at = 9007199254740993'],
  ['keys', "UPDATE keys SET purpose = 'both'"],
  ['keys', 'UPDATE keys SET retired = 2'],
  ['keys', 'UPDATE keys SET retires_at = 9007199254740993'],
  ['the log', insertEvent('UserDisbanded', '{}')],
  ['the log', insertEvent('SignInRefused', '{"reason":"bad_luck"}')],
  ['the log', insertEvent('PasswordChangeRefused', '{"codes":[0.5]}')],
  ['the log', insertEvent('UserSignedOut', '{}')],
  ['the log', insertEvent('UserRemoved', 'nothing')],
  ['the log', insertEvent('UserRemoved', 'null')],
  ['the log', insertEvent('UserRemoved', '[]')],
  ['the log', insertEvent('UserRemoved', '{}', { version: 2 })],
  ['the log', insertEvent('UserRemoved', '{}', { subject_kind: 'application' })],
  ['the log', insertEvent('UserRemoved', '{}', { actor_kind: 'user' })],
  ['the log', insertEvent('UserRemoved', '{}', { actor_kind: 'stranger' })],
]

describe('a row that no store writes', () => {
  for (const [place, sql] of DAMAGES) {
    it(
      `is an error, not a partial record: ${sql}`,
      onFile(async (path) => {
        const store = sqliteStore(path)
        const user = aUser()
        await commitAll(
          store,
          change(
            registeredApplication(anApplication({ id: 'shop' })),
            registered(user),
            signedIn(aSession({ userId: user.id })),
            createdKey(aKey()),
            revokedToken(aRevokedToken({ id: 'token' })),
          ),
        )
        await succeed<unknown, unknown>(READS[place](store))
        withRaw(path, (db) => db.exec(sql))
        expect(await fail<unknown, unknown>(READS[place](store))).to.deep.equal({
          _tag: 'StoreUnavailable',
          reason: `unreadable entry in ${place}`,
        })
        await store.close()
      }),
    )
  }
})

/** Adds an entry that is valid for many types, apart from `changed`. */
function insertEvent(
  type: string,
  data: string,
  changed: Readonly<Record<string, string | number>> = {},
): string {
  const at = '2026-01-02T03:04:05.678Z'
  const subject = { subject_kind: 'user', subject_id: 'u' }
  const entry = { id: 'new', type, version: 1, at, ...subject, actor_kind: 'nobody', data, ...changed }
  const values = Object.values(entry).map((value) => (typeof value === 'string' ? `'${value}'` : value))
  return `INSERT INTO log (position, ${Object.keys(entry).join(', ')}) VALUES (6, ${values.join(', ')})`
}
