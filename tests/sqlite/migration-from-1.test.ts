import { expect } from 'chai'
import { none, some } from 'fp-ts/lib/Option.js'
import { openDatabase } from '../../adapters/stores/sqlite/database.ts'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { NO_OWN_LIFETIMES } from '../../domain/lifetimes.ts'
import { succeed } from '../support/outcome.ts'
import { change, changedPassword, issuedToken } from '../testkit/builders.ts'
import { commitAll, wholeLog } from '../testkit/outcome.ts'
import { startProcess } from './another-process.ts'
import { onFile } from './folder.ts'
import { contents, withRaw } from './raw.ts'
import { laySchema1 } from './schema-1.ts'

const ADA = {
  id: 'ada',
  email: 'Ada@example.com',
  emailVerified: false,
  emailVersion: 1,
  createdAtSeconds: some(1_767_323_045), // the time in the log
  passwordRecord: '1$$c2NyeXB0',
  passwordScheme: '', // the record's scheme is unknown
  passwordVersion: 2,
  sessionsVersion: 1,
  allEndedVersion: 1,
  status: 'enabled',
  version: 4,
} as const
const BOB = {
  id: 'bob',
  email: 'bob@example.com',
  emailVerified: false,
  emailVersion: 1,
  createdAtSeconds: none,
  passwordRecord: '1$$Ym9i',
  passwordScheme: '',
  passwordVersion: 1,
  sessionsVersion: 1,
  allEndedVersion: 1,
  status: 'enabled',
  version: 1,
}
const SHOP = {
  id: 'shop',
  name: 'Shop',
  scope: ['users:sign_in', 'users:register'],
  keyId: 'key',
  keyDigest: 'a1'.repeat(32),
  previousKey: none,
  lifetimes: NO_OWN_LIFETIMES,
  requiredAssurance: 'aal1',
  passkeyOrigins: [],
  revoked: false,
  version: 3,
}
const SESSION = {
  endsAtSeconds: none,
  renewedAtSeconds: none,
  label: none,
  methods: none,
  authenticatedAtSeconds: none,
  id: 'of-ada',
  userId: 'ada',
  passwordVersion: 2,
  sessionsVersion: 1,
  createdAtSeconds: some(1_767_323_046), // the time in the log
  expiresAtSeconds: 4_102_444_800,
  applicationId: some('shop'),
  signedOut: false,
  version: 2,
}
const NEVER_ROTATED = { signsFromSeconds: 0, retiresAtSeconds: none, retired: false, version: 1 }

describe('a SQLite file of schema 1', () => {
  it(
    'keeps its data: users enabled, applications valid, keys valid from the start',
    onFile(async (path) => {
      laySchema1(path)
      const store = sqliteStore(path)
      expect(await succeed(store.findApplication('shop'))).to.deep.equal(some(SHOP))
      expect(await succeed(store.findUserByEmail('ADA@example.com'))).to.deep.equal(some(ADA))
      expect(await succeed(store.listRows({ table: 'users', after: '', limit: 10 }))).to.deep.equal([
        ADA,
        BOB,
      ])
      expect(await succeed(store.findSession('of-ada'))).to.deep.equal(
        some({ session: SESSION, user: ADA, application: some(SHOP) }),
      )
      expect(await succeed(store.listSigningKeys())).to.deep.equal([
        {
          id: 'application-1',
          kid: 'kid-of-applications',
          purpose: 'application',
          material: '{"kty":"OKP"}',
          createdAtSeconds: 1_767_323_045,
          ...NEVER_ROTATED,
        },
        {
          id: 'user-1',
          kid: 'kid-of-users',
          purpose: 'user',
          material: 'k4.secret.x',
          createdAtSeconds: 1_767_323_046,
          ...NEVER_ROTATED,
        },
      ])
      expect(await wholeLog(store)).to.deep.equal([
        {
          position: 1,
          id: 'event-1',
          type: 'SigningKeyCreated',
          version: 1,
          at: '2026-01-02T03:04:05.000Z',
          subject: { kind: 'key', id: 'kid-of-applications' },
          actor: { kind: 'nobody' },
          data: { purpose: 'application' },
        },
        {
          position: 2,
          id: 'event-2',
          type: 'UserRegistered',
          version: 1,
          at: '2026-01-02T03:04:05.678Z',
          subject: { kind: 'user', id: 'ada' },
          actor: { kind: 'operator' },
          data: { password_digest: '5e' },
        },
        {
          position: 3,
          id: 'event-3',
          type: 'UserSignedIn',
          version: 1,
          at: '2026-01-02T03:04:06.000Z',
          subject: { kind: 'user', id: 'ada' },
          actor: { kind: 'application', id: 'shop' },
          request_id: 'request-1',
          data: { session_id: 'of-ada', expires_at: '2100-01-01T00:00:00.000Z' },
        },
      ])
      await store.close()
    }),
  )

  it(
    'accepts new entries after the last one and new versions of its rows',
    onFile(async (path) => {
      laySchema1(path)
      const store = sqliteStore(path)
      await commitAll(store, change(issuedToken()), change(changedPassword(ADA, SESSION, '1$$bmV3')))
      expect((await wholeLog(store)).map(({ position }) => position)).to.deep.equal([1, 2, 3, 4, 5])
      expect(await succeed(store.findSession('of-ada'))).to.deep.equal(
        some({
          session: { ...SESSION, passwordVersion: 3, version: 3 },
          user: {
            ...ADA,
            passwordRecord: '1$$bmV3',
            passwordScheme: 'tests',
            passwordVersion: 3,
            version: 5,
          },
          application: some(SHOP),
        }),
      )
      await store.close()
    }),
  )

  it(
    'has the schema of a new file after migration, and its log stays append-only',
    onFile(async (path) => {
      laySchema1(path)
      openDatabase(path).close()
      const { schemaVersion, owner, schema, log } = contents(path)
      const fresh = onFile(async (other) => {
        openDatabase(other).close()
        expect({ schemaVersion, owner, schema }).to.deep.equal({
          schemaVersion: contents(other).schemaVersion,
          owner: contents(other).owner,
          schema: contents(other).schema,
        })
      })
      await fresh()
      expect(() => withRaw(path, (db) => db.exec('DELETE FROM log'))).to.throw('the log is append-only')
      expect(contents(path).log).to.deep.equal(log)
    }),
  )

  it(
    'is migrated once when several processes start on it at the same time',
    onFile(async (path) => {
      const processes = await Promise.all(Array.from({ length: 3 }, startProcess))
      laySchema1(path)
      const atMilliseconds = Date.now() + 20
      const reports = await Promise.all(
        processes.map((process) => process.ask({ act: 'open', path, atMilliseconds })),
      )
      await Promise.all(processes.map((process) => process.end()))
      expect(reports.map(({ outcome }) => outcome)).to.deep.equal(['opened', 'opened', 'opened'])
      expect(contents(path).users).to.have.length(2)
    }),
  ).timeout(20_000)

  it(
    'is refused and unchanged when it carries the version number of a newer schema',
    onFile(async (path) => {
      openDatabase(path).close()
      const next = Number(contents(path).schemaVersion) + 1
      withRaw(path, (db) => db.pragma(`user_version = ${next}`))
      const before = contents(path)
      expect(() => openDatabase(path)).to.throw(
        `a newer version of Portcullis wrote it (schema ${next}). Start that version.`,
      )
      expect(contents(path)).to.deep.equal(before)
    }),
  )
})
