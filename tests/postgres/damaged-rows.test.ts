import { expect } from 'chai'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Store, StoreUnavailable, Table } from '../../application/ports/store.ts'
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
import { describeOnPostgres, sharedStore } from './database.ts'

/** 2^53 + 1. A JavaScript number would read it as 2^53. */
const TOO_MUCH = '9007199254740993'

/** Rows that only a manual edit can produce. */
const DAMAGES: ReadonlyArray<readonly [table: Table, set: string]> = [
  ['applications', "scope = 'everything'"],
  ['applications', "scope = ''"],
  ['applications', 'revoked = 2'],
  ['applications', "required_assurance = 'aal3'"],
  ['applications', "passkey_origins = ' https://shop.example'"],
  ['applications', "previous_key_id = 'k'"],
  ['applications', "previous_key_id = 'k', previous_key_digest = 'd'"],
  ['applications', 'previous_until = 1'],
  ['applications', `previous_key_id = 'k', previous_key_digest = 'd', previous_until = ${TOO_MUCH}`],
  ['applications', `version = ${TOO_MUCH}`],
  ['users', "status = 'asleep'"],
  ['users', "status = ''"],
  ['users', `password_version = ${TOO_MUCH}`],
  ['users', `password_version = -${TOO_MUCH}`],
  ['users', 'version = 9223372036854775807'],
  ['sessions', 'signed_out = -1'],
  ['sessions', `expires_at = ${TOO_MUCH}`],
  ['sessions', 'expires_at = 9007199254740992'],
  ['sessions', 'password_version = -9223372036854775808'],
  ['sessions', `created_at = ${TOO_MUCH}`],
  ['revoked_tokens', `expires_at = ${TOO_MUCH}`],
  ['revoked_tokens', `version = ${TOO_MUCH}`],
  ['keys', "purpose = 'both'"],
  ['keys', 'retired = 2'],
  ['keys', `retires_at = ${TOO_MUCH}`],
  ['keys', `created_at = ${TOO_MUCH}`],
  ['keys', `signs_from = ${TOO_MUCH}`],
]

describeOnPostgres('in PostgreSQL a row that no store writes', (server) => {
  const shared = sharedStore(server)
  const application = anApplication()
  const user = aUser()
  const session = aSession({ userId: user.id })
  const key = aKey()
  const token = aRevokedToken({ applicationId: application.id })
  before(() =>
    commitAll(
      shared().store,
      change(registeredApplication(application), registered(user), signedIn(session), createdKey(key)),
      change(revokedToken(token)),
    ),
  )

  /** Every operation that reads rows of a table. */
  const reads = (table: Table, store: Store): ReadonlyArray<TaskEither<StoreUnavailable, unknown>> => [
    store.listRows({ table, after: '', limit: 100 }),
    ...(table === 'applications' ? [store.findApplication(application.id)] : []),
    ...(table === 'users' ? [store.findUserByEmail(user.email)] : []),
    ...(table === 'users' || table === 'sessions' ? [store.findSession(session.id)] : []),
    ...(table === 'applications' || table === 'revoked_tokens'
      ? [store.findTokenHolder(application.id, token.id)]
      : []),
    ...(table === 'keys' ? [store.listSigningKeys()] : []),
  ]

  for (const [table, set] of DAMAGES) {
    it(`is an error, not a partial record: ${table} ${set}`, async () => {
      const { store, ask } = shared()
      for (const read of reads(table, store)) await succeed(read)
      await ask(
        `CREATE TABLE whole AS SELECT * FROM portcullis.${table}; UPDATE portcullis.${table} SET ${set}`,
      )
      try {
        for (const read of reads(table, store)) {
          expect(await fail(read)).to.deep.equal({
            _tag: 'StoreUnavailable',
            reason: `unreadable entry in ${table}`,
          })
        }
      } finally {
        await ask(
          `DELETE FROM portcullis.${table}; INSERT INTO portcullis.${table} SELECT * FROM whole; DROP TABLE whole`,
        )
      }
    })
  }

  const ENTRIES: ReadonlyArray<readonly [type: string, data: string, version?: number]> = [
    ['UserDisbanded', '{}'],
    ['UserRemoved', '{}', 2],
    ['SignInRefused', '{"reason":"bad_luck"}'],
    ['PasswordChangeRefused', '{"codes":[0.5]}'],
    ['PasswordSet', `{"password_version":${TOO_MUCH},"password_digest":"d"}`],
    ['UserSignedOut', '{}'],
    ['UserRemoved', 'nothing'],
    ['UserRemoved', ''],
    ['UserRemoved', 'null'],
  ]
  for (const [type, data, version = 1] of ENTRIES) {
    it(`is an error as a log entry: ${type} ${version} ${data}`, async () => {
      const { store, ask } = shared()
      await ask(`UPDATE portcullis.head SET position = position + 1;
        INSERT INTO portcullis.log (position, id, type, version, at, subject_kind, subject_id, actor_kind, data)
        SELECT position, 'entry ' || position, '${type}', ${version}, '2026-01-02T03:04:05.678Z', 'user', 'u', 'nobody', '${data}'
        FROM portcullis.head`)
      const [last] = await ask('SELECT position::int FROM portcullis.head')
      const after = Number(last?.position) - 1
      await succeed(store.readEvents({ after: 0, limit: 4 }))
      expect(await fail(store.readEvents({ after, limit: 1 }))).to.deep.equal({
        _tag: 'StoreUnavailable',
        reason: 'unreadable entry in the log',
      })
    })
  }
})

describeOnPostgres('in PostgreSQL a log position beyond the safe integers', (server) => {
  const shared = sharedStore(server)

  it('is an error and is not rounded to another position', async () => {
    const { store, ask } = shared()
    await ask(`ALTER TABLE portcullis.log DISABLE TRIGGER log_next_only;
      INSERT INTO portcullis.log (position, id, type, version, at, subject_kind, subject_id, actor_kind, data)
      VALUES (${TOO_MUCH}, 'e', 'UserRemoved', 1, '2026-01-02T03:04:05.678Z', 'user', 'u', 'nobody', '{}')`)
    expect(await fail(store.readEvents({ after: 0, limit: 1 }))).to.deep.equal({
      _tag: 'StoreUnavailable',
      reason: 'unreadable entry in the log',
    })
  })
})
