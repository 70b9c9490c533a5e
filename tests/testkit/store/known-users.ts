import assert from 'node:assert/strict'
import type { UserKeys } from '../../../application/ports/store.ts'
import { USER_STATUSES, type User } from '../../../domain/user.ts'
import { aUser, change, newId, registered } from '../builders.ts'
import { commitAll, ok, refused } from '../outcome.ts'
import type { Check } from '../store.ts'

/** Many e-mails and ids are looked up at once. */
export const knownUserCases = (check: Check): void => {
  check('known e-mails and ids are found in the order of the question', async (store) => {
    await commitAll(store, writing(USERS))
    const asked: UserKeys = {
      emailKeys: ['zoe@example.com', 'bob@example.com', 'x@example.com', 'ada@example.com'],
      ids: ['ada', 'x', 'zoe', 'bob'],
    }
    assert.deepEqual(await ok(store.findKnownUsers(asked)), {
      emailKeys: ['zoe@example.com', 'bob@example.com', 'ada@example.com'],
      ids: ['ada', 'zoe', 'bob'],
    })
  })

  check('e-mails are known without their ids, and ids without their e-mails', async (store) => {
    await commitAll(store, writing(USERS))
    const asked: UserKeys = { emailKeys: ['ada@example.com', 'x@example.com'], ids: ['x', 'bob'] }
    assert.deepEqual(await ok(store.findKnownUsers(asked)), { emailKeys: ['ada@example.com'], ids: ['bob'] })
    for (const none of [
      { emailKeys: [], ids: [] },
      { emailKeys: ['ada'], ids: ['ada@example.com'] },
    ])
      assert.deepEqual(await ok(store.findKnownUsers(none)), { emailKeys: [], ids: [] })
  })

  check('users of every status are known', async (store) => {
    const users = USER_STATUSES.map((status) => aUser({ status }))
    await commitAll(store, writing(users))
    assert.deepEqual(await ok(store.findKnownUsers(keysOf(users))), keysOf(users))
  })

  check('an e-mail is known by its key only', async (store) => {
    await commitAll(
      store,
      writing(['Ada@Example.com', 'zoË@example.com', '\u212a@example.com'].map((email) => aUser({ email }))),
    )
    const known = ['ada@example.com', 'zoË@example.com', '\u212a@example.com']
    const others = ['zoë@example.com', 'k@example.com', 'a_a@example.com', 'ada@example.co']
    assert.deepEqual(await ok(store.findKnownUsers({ emailKeys: [...others, ...known], ids: [] })), {
      emailKeys: known,
      ids: [],
    })
  })

  check('an id is known as it is only', async (store) => {
    await commitAll(store, writing([aUser({ id: 'ada' })]))
    const ids = [newId(), 'ADA', 'ad', 'adaa', 'a_a', '%', 'ada']
    assert.deepEqual(await ok(store.findKnownUsers({ emailKeys: [], ids })), { emailKeys: [], ids: ['ada'] })
  })

  check('a few users are found among many e-mails and ids', async (store) => {
    const users = Array.from({ length: 40 }, () => aUser())
    await commitAll(store, writing(users))
    const asked = Array.from({ length: 40_000 }, (_, index) =>
      index % 1_000 === 999 ? (users[(index - 999) / 1_000] ?? aUser()) : aUser(),
    )
    assert.deepEqual(await ok(store.findKnownUsers(keysOf(asked))), keysOf(users))
  })

  check('an e-mail is known until its user has another one', async (store) => {
    const user = aUser({ id: 'ada', email: 'ada@example.com' })
    await commitAll(store, writing([user]), writing([{ ...user, email: 'Lovelace@example.com', version: 2 }]))
    const asked = { emailKeys: ['ada@example.com', 'lovelace@example.com'], ids: ['ada'] }
    assert.deepEqual(await ok(store.findKnownUsers(asked)), {
      emailKeys: ['lovelace@example.com'],
      ids: ['ada'],
    })
  })

  check('the users of a refused change are unknown', async (store) => {
    const [user, rival] = [aUser({ email: 'ada@example.com' }), aUser({ email: 'ADA@example.com' })]
    const bystander = aUser()
    await commitAll(store, writing([user]))
    await refused(store.commit(writing([bystander, rival])), { _tag: 'EmailTaken' })
    assert.deepEqual(await ok(store.findKnownUsers(keysOf([bystander, rival, user]))), {
      emailKeys: ['ada@example.com', 'ada@example.com'],
      ids: [user.id],
    })
  })

  check('users are known once the commit has resolved', async (store) => {
    const registerAndAsk = async () => {
      const users = [aUser(), aUser()]
      await ok(store.commit(writing(users)))
      assert.deepEqual(await ok(store.findKnownUsers(keysOf(users))), keysOf(users))
    }
    await Promise.all(Array.from({ length: 30 }, registerAndAsk))
  })
}

const USERS = ['ada', 'bob', 'zoe'].map((id) => aUser({ id, email: `${id}@example.com` }))

/** A change that writes these rows. */
const writing = (users: ReadonlyArray<User>) => ({
  ...change(registered(aUser())),
  rows: users.map((row) => ({ table: 'users' as const, row })),
})

const keysOf = (users: ReadonlyArray<User>): UserKeys => ({
  emailKeys: users.map(({ email }) => email.toLowerCase()),
  ids: users.map(({ id }) => id),
})
