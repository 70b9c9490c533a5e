import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Change, Row, Store } from '../../../application/ports/store.ts'
import type { Session } from '../../../domain/session.ts'
import type { User } from '../../../domain/user.ts'
import { aSession, aUser, change, issuedToken, registered, signedIn } from '../builders.ts'
import { commitAll, ok, refused, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'

/** Rows of one change are judged in their order, each by what the ones before it have left. */
export const rowOrderCases = (check: Check): void => {
  check(
    'one row twice in a change is judged by what it has left itself, and the last is kept',
    async (store) => {
      const user = aUser()
      const session = aSession({ userId: user.id })
      await commitAll(store, change(registered(user)))
      const left = { ...user, passwordRecord: '1$$bGFzdA==', version: 3 }
      const opened = { ...session, expiresAtSeconds: session.expiresAtSeconds + 1, version: 2 }
      await commitAll(
        store,
        of(aUserRow({ ...user, version: 2 }), aSessionRow(session), aUserRow(left), aSessionRow(opened)),
      )
      assert.deepEqual(await ok(store.findUserByEmail(user.email)), some(left))
      assert.deepEqual(
        await ok(store.findSession(session.id)),
        some({ session: opened, user: left, application: none }),
      )
      // Not by what was there before the change, and not the other way round.
      for (const versions of [
        [4, 4],
        [5, 4],
      ]) {
        const rows = versions.map((version) => aUserRow({ ...left, version }))
        await refused(store.commit(of(...rows)), { _tag: 'Conflict' })
      }
      assert.deepEqual(await ok(store.findUserByEmail(user.email)), some(left))
    },
  )

  check('an e-mail that a row gives up is free for the rows behind it', async (store) => {
    const [ada, bob] = await adaAndBob(store)
    const moved = { ...ada, email: 'lovelace@example.com', version: 2 }
    const heir = aUser({ email: 'ADA@example.com' })
    await commitAll(store, of(aUserRow(moved), aUserRow(heir)))
    assert.deepEqual(await ok(store.findUserByEmail('ada@example.com')), some(heir))
    assert.deepEqual(await ok(store.findUserByEmail('lovelace@example.com')), some(moved))
    // Two that are there change theirs for each other's, by way of a third one.
    const [hers, his] = [
      { ...moved, email: bob.email, version: 4 },
      { ...bob, email: 'lovelace@example.com', version: 2 },
    ]
    const aside = { ...moved, email: 'nobody@example.com', version: 3 }
    await commitAll(store, of(aUserRow(aside), aUserRow(his), aUserRow(hers)))
    assert.deepEqual(await ok(store.findUserByEmail('lovelace@example.com')), some(his))
    assert.deepEqual(await ok(store.findUserByEmail(bob.email)), some(hers))
    assert.deepEqual(await ok(store.findUserByEmail('nobody@example.com')), none)
  })

  check('an e-mail that a row gives up is not free for the rows before it', async (store) => {
    const [ada, bob] = await adaAndBob(store)
    const before = await wholeLog(store)
    const moved = aUserRow({ ...ada, email: 'lovelace@example.com', version: 2 })
    for (const heir of [aUser({ email: ada.email }), { ...bob, email: ada.email, version: 2 }]) {
      await refused(store.commit(of(aUserRow(heir), moved)), { _tag: 'EmailTaken' })
    }
    assert.deepEqual(await ok(store.findUserByEmail(ada.email)), some(ada))
    assert.deepEqual(await wholeLog(store), before)
  })

  check(
    'of two rows that do not fit the first decides, where that is one with a taken e-mail',
    async (store) => {
      await adaAndBob(store)
      for (const stale of STALE) await refused(store.commit(of(rival(), stale())), { _tag: 'EmailTaken' })
    },
  )

  check('of two rows that do not fit the first decides, where that is one that conflicts', async (store) => {
    await adaAndBob(store)
    for (const stale of STALE) await refused(store.commit(of(stale(), rival())), { _tag: 'Conflict' })
  })

  check('a row that fits neither by its version nor by its e-mail is a conflict', async (store) => {
    const [ada, bob] = await adaAndBob(store)
    for (const version of [1, 3]) {
      await refused(store.commit(of(aUserRow({ ...bob, email: ada.email, version }))), { _tag: 'Conflict' })
    }
  })
}

const adaAndBob = async (store: Store): Promise<readonly [User, User]> => {
  const [ada, bob] = [aUser({ email: 'ada@example.com' }), aUser({ email: 'bob@example.com' })]
  await commitAll(
    store,
    change(registered(ada), registered(bob)),
    change(signedIn(aSession({ userId: ada.id }))),
  )
  return [ada, bob]
}

/** A change of these rows, in this order. What its event says no store looks at. */
const of = (...rows: ReadonlyArray<Row>): Change => ({ ...change(issuedToken()), rows })

const aUserRow = (row: User): Row => ({ table: 'users', row })
const aSessionRow = (row: Session): Row => ({ table: 'sessions', row })

/** A new user with an e-mail that is taken. */
const rival = (): Row => aUserRow(aUser({ email: 'ada@example.com' }))

/** Rows that were never written, under a version that says they were. */
const STALE: ReadonlyArray<() => Row> = [
  () => aSessionRow(aSession({ version: 2 })),
  () => aUserRow(aUser({ version: 2 })),
]
