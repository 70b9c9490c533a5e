import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import { KEY_PURPOSES } from '../../../domain/signing-key.ts'
import { USER_STATUSES } from '../../../domain/user.ts'
import {
  AT,
  AT_SECONDS,
  aKey,
  anApplication,
  aSession,
  aUser,
  change,
  changedPassword,
  createdKey,
  issuedToken,
  newId,
  registered,
  registeredApplication,
  signedIn,
  signedOut,
} from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check } from '../store.ts'

/** What was written is what is read. */
export const recordCases = (check: Check): void => {
  check('an application reads back field by field', async (store) => {
    const application = {
      id: newId(),
      name: 'shop',
      scope: ['users:sign_in', 'users:register'],
      keyId: newId(),
      keyDigest: '0f'.repeat(32),
      previousKey: some({ id: newId(), digest: 'e7'.repeat(32), untilSeconds: 4_102_444_802 }),
      lifetimes: {
        userTokenTtlSeconds: some(600),
        idleTtlSeconds: some(43_200),
        sessionTtlSeconds: some(31_536_000),
        rememberTtlSeconds: some(2_592_000),
      },
      requiredAssurance: 'aal2',
      requiresVerifiedEmail: true,
      passkeyOrigins: ['https://shop.example', 'http://localhost:3000'],
      returnUrls: ['https://shop.example/back', 'http://localhost:3000/'],
      redirectUris: ['https://shop.example/callback', 'com.example.shop:/callback'],
      logoutUris: ['https://shop.example/bye', 'http://127.0.0.1:3000/bye'],
      clientKind: 'public',
      requiresPkce: false,
      revoked: true,
      version: 1,
    } as const
    await commitAll(store, change(registeredApplication(application)))
    assert.deepEqual(await ok(store.findApplication(application.id)), some(application))
  })

  check('a user reads back field by field', async (store) => {
    const user = {
      id: newId(),
      email: 'Ada.Lovelace+1@Example.com',
      emailVerified: true,
      emailVersion: 5,
      passwordRecord: '1$$c2NyeXB0AA8AAAAIAAAAAw==',
      passwordScheme: 'scrypt ln=15,r=8,p=3 pepper=2026',
      passwordVersion: 1,
      sessionsVersion: 3,
      allEndedVersion: 2,
      roles: ['Editor', 'editor', 'shop:admin', 'x'.repeat(64)],
      status: 'disabled',
      attributes: `{"name":"Ada","metadata":{"note":"1\\u00002 'x' ’ 🦊","size":1e+21}}`,
      createdAtSeconds: Math.floor(Date.parse(AT) / 1000),
      version: 1,
    } as const
    await commitAll(store, change(registered(user)))
    assert.deepEqual(await ok(store.findUserByEmail(user.email)), some(user))
  })

  check('a user reads back in every status there is', async (store) => {
    const users = USER_STATUSES.map((status) => aUser({ status }))
    await commitAll(store, ...users.map((user) => change(registered(user))))
    for (const user of users) assert.deepEqual(await ok(store.findUserByEmail(user.email)), some(user))
  })

  check('a session reads back field by field, with its user', async (store) => {
    const [user, application] = [aUser({ passwordVersion: 7, sessionsVersion: 3 }), anApplication()]
    const session = {
      id: newId(),
      userId: user.id,
      passwordVersion: 7,
      sessionsVersion: 3,
      createdAtSeconds: Math.floor(Date.parse(AT) / 1000),
      expiresAtSeconds: 4_102_444_799,
      endsAtSeconds: 4_102_444_801,
      renewedAtSeconds: some(4_102_444_798),
      passwordChangedAtSeconds: some(4_102_444_795),
      cookie: some('5e'.repeat(32)),
      browserId: some('019b7d3f-0000-7000-8000-00000000b0b0'),
      label: some('Ünicode’s “browser” 🦊'),
      applicationId: application.id,
      remembered: true,
      methods: 'password' as const,
      authenticatedAtSeconds: 4_102_444_797,
      signedOut: false,
      version: 1,
    }
    const written = { ...change(signedIn(session)), rows: [{ table: 'sessions', row: session }] } as const
    await commitAll(store, change(registered(user), registeredApplication(application)), written)
    const whole = { session, user, application: some(application) }
    assert.deepEqual(await ok(store.findSession(session.id)), some(whole))
  })

  check('a signing key reads back field by field', async (store) => {
    const keys = KEY_PURPOSES.map((purpose, index) => ({
      id: `${purpose}-1`,
      kid: `kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4${index}`,
      purpose,
      material: '{"kty":"OKP"}',
      createdAtSeconds: 4_102_444_801 + index,
      signsFromSeconds: 4_102_445_401,
      retiresAtSeconds: some(4_102_449_601),
      retired: true,
      version: 1,
    }))
    await commitAll(store, ...keys.map((key) => change(createdKey(key))))
    assert.deepEqual(await ok(store.listSigningKeys()), keys)
  })

  check('what a record does not have reads back as none', async (store) => {
    const application = anApplication({ previousKey: none, revoked: false })
    const key = aKey({ retiresAtSeconds: none, retired: false })
    const user = aUser()
    const lacking = {
      renewedAtSeconds: none,
      passwordChangedAtSeconds: none,
      cookie: none,
      browserId: none,
      label: none,
    }
    const session = aSession({ userId: user.id, ...lacking })
    const opened = change(registeredApplication(application), createdKey(key), registered(user))
    await commitAll(store, { ...opened, rows: [...opened.rows, { table: 'sessions', row: session }] })
    assert.deepEqual(await ok(store.findApplication(application.id)), some(application))
    assert.deepEqual(await ok(store.findSession(session.id)), some({ session, user, application: none }))
    assert.deepEqual(await ok(store.listSigningKeys()), [key])
  })

  check('what a record has no longer reads back as none', async (store) => {
    const previousKey = some({ id: newId(), digest: 'e7'.repeat(32), untilSeconds: 1 })
    const application = anApplication({ previousKey })
    const later = { ...application, previousKey: none, version: 2 }
    const write = { ...change(issuedToken()), rows: [{ table: 'applications' as const, row: later }] }
    await commitAll(store, change(registeredApplication(application)), write)
    assert.deepEqual(await ok(store.findApplication(application.id)), some(later))
  })

  check('signing keys come oldest first, whichever was written first', async (store) => {
    const middle = aKey({ createdAtSeconds: 200 })
    const youngest = aKey({ createdAtSeconds: 300 })
    const oldest = aKey({ createdAtSeconds: 100 })
    await commitAll(store, change(createdKey(middle), createdKey(youngest)), change(createdKey(oldest)))
    assert.deepEqual(await ok(store.listSigningKeys()), [oldest, middle, youngest])
  })

  check('a name outside ASCII reads back as it was written', async (store) => {
    const application = anApplication({ name: 'Zoë’s “shop” \\ 店 🦊 e\u0301' })
    await commitAll(store, change(registeredApplication(application)))
    assert.deepEqual(await ok(store.findApplication(application.id)), some(application))
  })

  check('a session whose user does not exist is none', async (store) => {
    const session = aSession()
    await commitAll(store, change(signedIn(session)))
    assert.deepEqual(await ok(store.findSession(session.id)), none)
  })

  check('a record reads back as it was last written', async (store) => {
    const user = aUser()
    const session = aSession({ userId: user.id })
    await commitAll(store, change(registered(user), signedIn(session)), change(signedOut(session)))
    assert.deepEqual(
      await ok(store.findSession(session.id)),
      some({ session: { ...session, signedOut: true, version: 2 }, user, application: none }),
    )
  })

  check('a session comes with its user as the user is now', async (store) => {
    const user = aUser()
    const [own, other] = [aSession({ userId: user.id }), aSession({ userId: user.id })]
    await commitAll(
      store,
      change(registered(user), signedIn(own), signedIn(other)),
      change(changedPassword(user, own, '1$$bmV3')),
    )
    const changed = { ...user, passwordRecord: '1$$bmV3', passwordVersion: 2, version: 2 }
    assert.deepEqual(
      await ok(store.findSession(other.id)),
      some({ session: other, user: changed, application: none }),
    )
    const moved = { ...own, passwordVersion: 2, passwordChangedAtSeconds: some(AT_SECONDS), version: 2 }
    assert.deepEqual(
      await ok(store.findSession(own.id)),
      some({ session: moved, user: changed, application: none }),
    )
  })

  check('what is read once a commit has resolved holds it', async (store) => {
    const registerAndRead = async () => {
      const user = aUser()
      await ok(store.commit(change(registered(user))))
      assert.deepEqual(await ok(store.findUserByEmail(user.email)), some(user))
    }
    await Promise.all(Array.from({ length: 50 }, registerAndRead))
  })
}
