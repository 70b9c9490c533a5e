import assert from 'node:assert/strict'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import { aSession, aUser, change, changedPassword, registered, signedIn } from '../builders.ts'
import { commitAll, commitAtOnce, ok, refused, tally, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'

/** An e-mail is one user's, compared by `emailKey`: ASCII letters lowered, nothing else touched. */
export const emailCases = (check: Check): void => {
  check('an e-mail that another user has is taken', async (store) => {
    await commitAll(store, change(registered(aUser({ email: 'ada@example.com' }))))
    const rival = change(registered(aUser({ email: 'ada@example.com' })))
    await refused(store.commit(rival), { _tag: 'EmailTaken' })
  })

  check('an e-mail that its user has given up is free again', async (store) => {
    const user = aUser({ email: 'ada@example.com' })
    const moved = { ...user, email: 'lovelace@example.com', version: user.version + 1 }
    const made = change(registered(user))
    const move = { ...change(registered(aUser())), rows: [{ table: 'users' as const, row: moved }] }
    await commitAll(store, made, move)
    assert.deepEqual(await ok(store.findUserByEmail('ada@example.com')), none)
    await commitAll(store, change(registered(aUser({ email: 'ada@example.com' }))))
    assert.deepEqual(await ok(store.findUserByEmail('lovelace@example.com')), some(moved))
  })

  check('an e-mail is taken in any case of its ASCII letters', async (store) => {
    await commitAll(store, change(registered(aUser({ email: 'ada@example.com' }))))
    const rival = change(registered(aUser({ email: 'ADA@eXaMpLe.CoM' })))
    await refused(store.commit(rival), { _tag: 'EmailTaken' })
  })

  check('letters outside ASCII are not lowered', async (store) => {
    // U+212A KELVIN SIGN, which most lower-casing turns into an ASCII k.
    const users = ['zoë@example.com', 'zoË@example.com', 'k@example.com', '\u212a@example.com'].map((email) =>
      aUser({ email }),
    )
    await commitAll(store, ...users.map((user) => change(registered(user))))
    for (const user of users) assert.deepEqual(await ok(store.findUserByEmail(user.email)), some(user))
  })

  check('characters with a meaning in patterns are only themselves', async (store) => {
    const user = aUser({ email: 'a_a%a@example.com' })
    await commitAll(
      store,
      change(registered(aUser({ email: 'abaxa@example.com' }))),
      change(registered(user)),
    )
    assert.deepEqual(await ok(store.findUserByEmail('a_a%a@example.com')), some(user))
  })

  check('a user is found in any case and shown as written', async (store) => {
    const user = aUser({ email: 'Ada@Example.com' })
    await commitAll(store, change(registered(user)))
    assert.deepEqual(await ok(store.findUserByEmail('aDA@eXAMPLE.COM')), some(user))
  })

  check('a user keeps its e-mail when it is written again', async (store) => {
    const user = aUser({ email: 'Ada@Example.com' })
    const session = aSession({ userId: user.id })
    await commitAll(store, change(registered(user), signedIn(session)))
    await commitAll(store, change(changedPassword(user, session)))
    const found = await ok(store.findUserByEmail('ada@example.com'))
    assert.ok(isSome(found))
    assert.deepEqual([found.value.id, found.value.version], [user.id, 2])
    const rival = change(registered(aUser({ email: 'ada@example.com' })))
    await refused(store.commit(rival), { _tag: 'EmailTaken' })
  })

  check('of 50 registrations of one e-mail at once exactly one wins', async (store) => {
    const users = Array.from({ length: 50 }, (_, number) =>
      aUser({ email: number % 2 === 0 ? 'ada@example.com' : 'ADA@example.com' }),
    )
    const outcomes = await commitAtOnce(
      store,
      users.map((user) => change(registered(user))),
    )
    assert.deepEqual(tally(outcomes), { success: 1, EmailTaken: 49 })
    const winner = users[outcomes.findIndex(({ _tag }) => _tag === 'Right')]
    assert.deepEqual(await ok(store.findUserByEmail('ada@example.com')), some(winner))
    assert.equal((await wholeLog(store)).length, 1)
  })
}
