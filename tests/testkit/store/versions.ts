import assert from 'node:assert/strict'
import { some } from 'fp-ts/lib/Option.js'
import type { Change, Store } from '../../../application/ports/store.ts'
import {
  aKey,
  anApplication,
  aOneTimeToken,
  aRevokedToken,
  aSession,
  aUser,
  change,
  changedPassword,
  createdKey,
  registered,
  registeredApplication,
  revokedToken,
  signedIn,
  signedOut,
  startedRecovery,
} from '../builders.ts'
import { commitAll, commitAtOnce, ok, refused, tally, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'

/** A row is written only over the version it was read at. */
export const versionCases = (check: Check): void => {
  for (const [table, create] of CREATIONS) {
    check(`what exists is not created again: ${table}`, async (store) => {
      const [first, second] = create()
      await commitAll(store, first)
      await refused(store.commit(second), { _tag: 'Conflict' })
      assert.equal((await wholeLog(store)).length, 1)
    })
  }

  check('what does not exist is not updated', async (store) => {
    const user = aUser()
    const session = aSession({ userId: user.id })
    await refused(store.commit(change(signedOut(session))), { _tag: 'Conflict' })
    await refused(store.commit(change(changedPassword(user, session))), {
      _tag: 'Conflict',
    })
    assert.deepEqual(await wholeLog(store), [])
  })

  check('what was read before the last write is not written', async (store) => {
    const { user, session } = await signedInUser(store)
    await commitAll(store, change(changedPassword(user, session, '1$$Zmlyc3Q=')))
    await refused(store.commit(change(changedPassword(user, session, '1$$bGF0ZQ=='))), {
      _tag: 'Conflict',
    })
    const written = { ...user, passwordRecord: '1$$Zmlyc3Q=', passwordVersion: 2, version: 2 }
    assert.deepEqual(await ok(store.findUserByEmail(user.email)), some(written))
  })

  check('a version that was never reached is not written over', async (store) => {
    const { session } = await signedInUser(store)
    const ahead = change(signedOut({ ...session, version: 2 }))
    await refused(store.commit(ahead), { _tag: 'Conflict' })
  })

  check('of 50 updates at once, all read at one version, exactly one wins', async (store) => {
    const { user, session } = await signedInUser(store)
    const records = Array.from({ length: 50 }, (_, number) => `1$$${number}`)
    const outcomes = await commitAtOnce(
      store,
      records.map((record) => change(changedPassword(user, session, record))),
    )
    assert.deepEqual(tally(outcomes), { success: 1, Conflict: 49 })
    const winner = records[outcomes.findIndex(({ _tag }) => _tag === 'Right')]
    const found = await ok(store.findUserByEmail(user.email))
    assert.deepEqual(found, some({ ...user, passwordRecord: winner ?? '', passwordVersion: 2, version: 2 }))
    assert.equal((await wholeLog(store)).length, 3)
  })

  check('of 50 creations of one id at once exactly one wins', async (store) => {
    const keys = Array.from({ length: 50 }, (_, number) => aKey({ id: 'user-1', kid: `kid-${number}` }))
    const outcomes = await commitAtOnce(
      store,
      keys.map((key) => change(createdKey(key))),
    )
    assert.deepEqual(tally(outcomes), { success: 1, Conflict: 49 })
    const winner = keys[outcomes.findIndex(({ _tag }) => _tag === 'Right')]
    assert.deepEqual(await ok(store.listSigningKeys()), [winner])
  })

  check('a conflict is over as soon as the facts are fresh', async (store) => {
    const { session } = await signedInUser(store)
    await refused(store.commit(change(signedOut({ ...session, version: 5 }))), { _tag: 'Conflict' })
    await commitAll(store, change(signedOut(session)))
    const found = await ok(store.findSession(session.id))
    assert.ok(found._tag === 'Some')
    assert.deepEqual(found.value.session, { ...session, signedOut: true, version: 2 })
  })
}

const signedInUser = async (store: Store) => {
  const user = aUser()
  const session = aSession({ userId: user.id })
  await commitAll(store, change(registered(user), signedIn(session)))
  return { user, session }
}

/** Two changes that make the same record, by table. */
const CREATIONS: ReadonlyArray<readonly [string, () => readonly [Change, Change]]> = [
  ['applications', () => twice(registeredApplication, anApplication())],
  // Its e-mail is its own, not another user's.
  ['users', () => twice(registered, aUser())],
  ['sessions', () => twice(signedIn, aSession())],
  ['keys', () => twice(createdKey, aKey())],
  ['revoked_tokens', () => twice(revokedToken, aRevokedToken())],
  ['one_time_tokens', () => twice(startedRecovery, aOneTimeToken())],
]

const twice = <Entity>(fact: (of: Entity) => Parameters<typeof change>[0], of: Entity) =>
  [change(fact(of)), change(fact(of))] as const
