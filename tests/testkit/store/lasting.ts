import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { type Change, type Store, TABLES } from '../../../application/ports/store.ts'
import {
  aFactor,
  aKey,
  anApplication,
  aOneTimeToken,
  aRenewal,
  aRevokedToken,
  aSession,
  aUser,
  change,
  changedPassword,
  createdKey,
  issuedToken,
  registered,
  registeredApplication,
  revokedToken,
  signedIn,
  startedRecovery,
} from '../builders.ts'
import { commitAll, ok, refused, unavailable, wholeLog } from '../outcome.ts'
import type { LastingCheck } from '../store.ts'
import { OBJECT_READS, someOfEverything } from './reads.ts'
import { updated, writing } from './tables.ts'

/** What a store holds is there again when it is opened again, and so is all that it knows of what was. */
export const lastingCases = (check: LastingCheck): void => {
  for (const [method, read] of OBJECT_READS) {
    check(`${method} says the same when the store is opened again`, async (store, again) => {
      const first = someOfEverything()
      await commitAll(store, first, writing(...first.rows.map((row) => updated(row, 2, 1))))
      const before = await read(store)
      assert.deepEqual(await read(await again()), before)
    })
  }

  check('every record is there again, as it was last written', async (store, again) => {
    const user = aUser({ email: 'Ada@example.com' })
    const session = aSession({ userId: user.id })
    const application = anApplication({ name: 'Zoë’s “shop” 🦊' })
    const key = aKey({ retiresAtSeconds: some(4_102_449_601) })
    const token = aRevokedToken({ applicationId: application.id })
    const recovery = aOneTimeToken({ userId: user.id, applicationId: application.id })
    await commitAll(
      store,
      change(registered(user), signedIn(session), registeredApplication(application), createdKey(key)),
      change(changedPassword(user, session, '1$$bmV3'), revokedToken(token), startedRecovery(recovery)),
      writing({ table: 'factors', row: aFactor({ userId: user.id, usedAtSeconds: some(4_102_444_801) }) }),
    )
    const before = await everyRow(store)
    assert.deepEqual(await everyRow(await again()), before)
  })

  check('the log is there again, entry by entry', async (store, again) => {
    await commitAll(store, change(registered(), issuedToken()), change(registeredApplication()))
    const before = await wholeLog(store)
    assert.equal(before.length, 3)
    assert.deepEqual(await wholeLog(await again()), before)
  })

  check('the epoch is there again', async (store, again) => {
    const first = await ok(store.readEpoch())
    const opened = await again()
    assert.equal(await ok(opened.readEpoch()), first)
    const renewed = await ok(opened.renewEpoch(aRenewal))
    assert.equal(await ok((await again()).readEpoch()), renewed)
  })

  check('positions go on where they stopped', async (store, again) => {
    await commitAll(store, change(issuedToken(), issuedToken()))
    const opened = await again()
    await commitAll(opened, change(issuedToken()), change(issuedToken()))
    assert.deepEqual(
      (await wholeLog(opened)).map(({ position }) => position),
      [1, 2, 3, 4],
    )
  })

  check('a change of before is known, and committing it again writes nothing', async (store, again) => {
    const known = change(registered(), issuedToken())
    await commitAll(store, known)
    const before = await wholeLog(store)
    const opened = await again()
    await commitAll(opened, known)
    assert.deepEqual(await wholeLog(opened), before)
  })

  check('an event of before is known, and refused in another change', async (store, again) => {
    const known = change(issuedToken())
    await commitAll(store, known)
    const opened = await again()
    const made = change(issuedToken())
    const foreign: Change = { ...made, events: [made.events[0], known.events[0]] }
    await unavailable(opened.commit(foreign))
    assert.equal((await wholeLog(opened)).length, 1)
  })

  check('versions are those of before', async (store, again) => {
    const user = aUser()
    const session = aSession({ userId: user.id })
    await commitAll(
      store,
      change(registered(user), signedIn(session)),
      change(changedPassword(user, session, '1$$bmV3')),
    )
    const opened = await again()
    for (const stale of [change(registered(user)), change(changedPassword(user, session))])
      await refused(opened.commit(stale), { _tag: 'Conflict' })
    const fresh = { ...user, passwordVersion: 2, version: 2 }
    const freshSession = { ...session, passwordVersion: 2, version: 2 }
    await commitAll(opened, change(changedPassword(fresh, freshSession)))
  })

  check('an e-mail of before is taken', async (store, again) => {
    await commitAll(store, change(registered(aUser({ email: 'ada@example.com' }))))
    const opened = await again()
    const rival = change(registered(aUser({ email: 'ADA@example.com' })))
    await refused(opened.commit(rival), { _tag: 'EmailTaken' })
  })

  check('a refused change has left nothing', async (store, again) => {
    const [application, user] = [anApplication(), aUser()]
    await commitAll(store, change(registered(user)))
    const halfGood = change(registeredApplication(application), registered(user))
    await refused(store.commit(halfGood), { _tag: 'Conflict' })
    const opened = await again()
    assert.deepEqual(await ok(opened.findApplication(application.id)), none)
    assert.equal((await wholeLog(opened)).length, 1)
  })

  check('commits that were not awaited before it was closed are there', async (store, again) => {
    const users = Array.from({ length: 20 }, () => aUser())
    const commits = users.map((user) => store.commit(change(registered(user)))())
    const opened = await again()
    assert.ok((await Promise.all(commits)).every(isRight))
    for (const user of users) assert.deepEqual(await ok(opened.findUserByEmail(user.email)), some(user))
  })

  check('the store can be closed and reopened repeatedly', async (store, again) => {
    let opened = store
    for (let round = 1; round <= 4; round += 1) {
      const user = aUser()
      await commitAll(opened, change(registered(user)))
      opened = await again()
      assert.ok(isSome(await ok(opened.findUserByEmail(user.email))))
      assert.equal((await wholeLog(opened)).length, round)
    }
  })
}

const everyRow = async (store: Store) => {
  return Promise.all(TABLES.map((table) => ok(store.listRows({ table, after: '', limit: 100 }))))
}
