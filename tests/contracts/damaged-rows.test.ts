import { expect } from 'chai'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Store, StoreUnavailable, Table } from '../../application/ports/store.ts'
import { onEverySharedStore } from '../support/every-store.ts'
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

/** 2^53 + 1. A JavaScript number would read it as 2^53. */
const TOO_MUCH = '9007199254740993'

/** Rows that only a manual edit can produce. */
const DAMAGES: ReadonlyArray<readonly [table: Table, set: string]> = [
  ['applications', "scope = 'everything'"],
  ['applications', "scope = ' '"],
  ['applications', 'revoked = 2'],
  ['applications', "required_assurance = 'aal3'"],
  ['applications', "passkey_origins = ' https://shop.example'"],
  ['applications', "return_urls = 'https://shop.example/ '"],
  ['applications', "redirect_uris = 'https://shop.example/  https://shop.example/b'"],
  ['applications', "logout_uris = ' '"],
  ['applications', "client_kind = 'secret'"],
  ['applications', 'requires_pkce = 2'],
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
  ['sessions', 'expires_at = 9007199254740992'],
  ['sessions', 'password_version = -9223372036854775808'],
  ['sessions', `created_at = ${TOO_MUCH}`],
  ['revoked_tokens', `expires_at = ${TOO_MUCH}`],
  ['revoked_tokens', `version = ${TOO_MUCH}`],
  ['keys', "purpose = 'both'"],
  ['keys', 'retired = 2'],
  ['keys', `retires_at = ${TOO_MUCH}`],
  ['keys', `created_at = ${TOO_MUCH}`],
]

/** Entries that no store writes, each valid for many types apart from what it names. */
const ENTRIES: ReadonlyArray<
  readonly [type: string, data: string, changed?: Readonly<Record<string, string | number>>]
> = [
  ['UserDisbanded', '{}'],
  ['SignInRefused', '{"reason":"bad_luck"}'],
  ['PasswordChangeRefused', '{"codes":[0.5]}'],
  ['PasswordSet', `{"password_version":${TOO_MUCH},"password_digest":"d"}`],
  ['UserSignedOut', '{}'],
  ['UserRemoved', 'nothing'],
  ['UserRemoved', ''],
  ['UserRemoved', 'null'],
  ['UserRemoved', '[]'],
  ['UserRemoved', '{}', { version: 2 }],
  ['UserRemoved', '{}', { subject_kind: 'application' }],
  ['UserRemoved', '{}', { actor_kind: 'user' }],
  ['UserRemoved', '{}', { actor_kind: 'stranger' }],
]

onEverySharedStore('a row that no store writes', (stores) => {
  const application = anApplication()
  const user = aUser()
  const session = aSession({ userId: user.id })
  const token = aRevokedToken({ applicationId: application.id })

  /** A store with a row in each table, and what changes it without the store. */
  const filled = async () => {
    const { store, environment } = await stores.lasting()
    await commitAll(
      store,
      change(registeredApplication(application), registered(user), signedIn(session), createdKey(aKey())),
      change(revokedToken(token)),
    )
    const spoil = (...sql: ReadonlyArray<string>) => stores.kind.spoil(environment.DATABASE_URL, ...sql)
    return { store, spoil }
  }

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
  const unreadable = (where: string) => ({ _tag: 'StoreUnavailable', reason: `unreadable entry in ${where}` })

  for (const [table, set] of DAMAGES) {
    it(`is an error, not a partial record: ${table} ${set}`, async () => {
      const { store, spoil } = await filled()
      await succeed(store.listRows({ table, after: '', limit: 100 }))
      await spoil(`UPDATE ${table} SET ${set}`)
      for (const read of reads(table, store)) expect(await fail(read)).to.deep.equal(unreadable(table))
    })
  }

  for (const [type, data, changed = {}] of ENTRIES) {
    it(`is an error as a log entry: ${type} ${data} ${JSON.stringify(changed)}`, async () => {
      const { store, spoil } = await filled()
      const at = '2026-01-02T03:04:05.678Z'
      const subject = { subject_kind: 'user', subject_id: 'u' }
      const entry = { id: 'new', type, version: 1, at, ...subject, actor_kind: 'nobody', data, ...changed }
      const values = Object.values(entry).map((value) => (typeof value === 'string' ? `'${value}'` : value))
      const last = (await succeed(store.readEvents({ after: 0, limit: 100 }))).length
      await spoil(
        `INSERT INTO log (position, ${Object.keys(entry).join(', ')}) VALUES (${last + 1}, ${values.join(', ')})`,
      )
      expect(await fail(store.readEvents({ after: last, limit: 1 }))).to.deep.equal(unreadable('the log'))
    })
  }

  it('is an error at a position beyond the safe integers, and is not rounded to another one', async () => {
    const { store, spoil } = await filled()
    await spoil(`UPDATE log SET position = ${TOO_MUCH} WHERE position = 2`)
    expect(await fail(store.readEvents({ after: 10, limit: 1 }))).to.deep.equal(unreadable('the log'))
  })
})
