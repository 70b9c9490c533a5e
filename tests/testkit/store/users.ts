import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Change, Store, UserQuery } from '../../../application/ports/store.ts'
import { USER_STATUSES, type User } from '../../../domain/user.ts'
import { aUser, change, issuedToken, newId, registered } from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check } from '../store.ts'

/** Users are found by id, and listed by id and status. */
export const userCases = (check: Check): void => {
  check('a user is found by id, field by field', async (store) => {
    const users = [
      aUser({ emailVerified: true, createdAtSeconds: 4_102_444_801, passwordVersion: 7 }),
      aUser({ emailVerified: false, createdAtSeconds: 0, email: 'Ada.Lovelace+1@Example.com' }),
    ]
    await commitAll(store, writing(...users))
    for (const user of users) assert.deepEqual(await ok(store.findUser(user.id)), some(user))
  })

  check('a user is found by id in every status', async (store) => {
    const users = USER_STATUSES.map((status) => aUser({ status }))
    await commitAll(store, writing(...users))
    for (const user of users) assert.deepEqual(await ok(store.findUser(user.id)), some(user))
  })

  check('an unknown id finds no user, also among others', async (store) => {
    const user = aUser({ id: 'ada', email: 'ada@example.com' })
    await commitAll(store, writing(user, aUser()))
    for (const id of [newId(), 'ADA', 'ad', 'adaa', 'a_a', '%', 'ada@example.com'])
      assert.deepEqual(await ok(store.findUser(id)), none, id)
  })

  check('a user found by id is as last written', async (store) => {
    const user = aUser({ emailVerified: false })
    const later = { ...user, email: 'later@example.com', emailVerified: true, version: 2 }
    await commitAll(store, writing(user), writing(later))
    assert.deepEqual(await ok(store.findUser(user.id)), some(later))
  })

  check('a user is found by id and listed once the commit has resolved', async (store) => {
    const registerAndRead = async () => {
      const user = aUser()
      await ok(store.commit(change(registered(user))))
      assert.deepEqual(await ok(store.findUser(user.id)), some(user))
      const listed = await list(store)
      assert.ok(listed.some(({ id }) => id === user.id))
    }
    await Promise.all(Array.from({ length: 30 }, registerAndRead))
  })

  check('users are listed field by field', async (store) => {
    const users = [
      aUser({ id: 'a', emailVerified: true, createdAtSeconds: 4_102_444_801 }),
      aUser({ id: 'b', status: 'disabled', createdAtSeconds: 0 }),
    ]
    await commitAll(store, writing(...users))
    assert.deepEqual(await list(store), users)
    assert.deepEqual(await list(store, { status: 'enabled' }), users.slice(0, 1))
    assert.deepEqual(await list(store, { status: 'disabled' }), users.slice(1))
  })

  for (const { name, status, others } of FILTERS) {
    check(`users are listed by id, code point by code point: ${name}`, async (store) => {
      await commitAll(store, ...[...IN_ORDER].reverse().map((id) => writing(aUser({ id, status }))))
      assert.deepEqual(idsOf(await list(store, filterOf(name))), IN_ORDER)
      for (const [index, id] of IN_ORDER.entries())
        assert.deepEqual(
          idsOf(await list(store, { ...filterOf(name), after: id })),
          IN_ORDER.slice(index + 1),
        )
    })

    check(`users are listed after an id that no user has: ${name}`, async (store) => {
      await commitAll(store, writing(...['a', 'c', 'e'].map((id) => aUser({ id, status }))))
      assert.deepEqual(idsOf(await list(store, { ...filterOf(name), after: 'b' })), ['c', 'e'])
      assert.deepEqual(idsOf(await list(store, { ...filterOf(name), after: 'cc' })), ['e'])
      assert.deepEqual(idsOf(await list(store, { ...filterOf(name), after: 'e' })), [])
    })

    check(`no more users are listed than asked for: ${name}`, async (store) => {
      const ids = ['a', 'b', 'c', 'd']
      await commitAll(store, writing(...ids.map((id) => aUser({ id, status }))))
      for (const limit of [0, 1, 3, 4, 5, HUGE])
        assert.deepEqual(idsOf(await list(store, { ...filterOf(name), limit })), ids.slice(0, limit))
      assert.deepEqual(idsOf(await list(store, { ...filterOf(name), after: 'b', limit: 1 })), ['c'])
    })

    check(`users of another status are not listed and do not count: ${name}`, async (store) => {
      const left = Array.from({ length: 20 }, (_, index) =>
        aUser({ id: `a${index}`, status: others[index % others.length] ?? 'removed' }),
      )
      await commitAll(store, writing(...left, aUser({ id: 'b', status }), aUser({ id: 'c', status })))
      assert.deepEqual(idsOf(await list(store, { ...filterOf(name), limit: 2 })), ['b', 'c'])
    })
  }

  check('a user is listed by the status that was last written', async (store) => {
    const user = aUser()
    const statuses = ['enabled', 'disabled', 'enabled', 'removed'] as const
    for (const [index, status] of statuses.entries()) {
      const row = { ...user, status, version: index + 1 }
      await commitAll(store, writing(row))
      assert.deepEqual(await list(store), status === 'removed' ? [] : [row])
      for (const asked of ['enabled', 'disabled'] as const)
        assert.deepEqual(await list(store, { status: asked }), asked === status ? [row] : [])
    }
  })

  check('page after page visits every user once', async (store) => {
    const ids = Array.from({ length: 11 }, (_, index) => `id-${index}`)
    const isRemoved = (index: number) => index % 3 === 0
    await commitAll(
      store,
      writing(...ids.map((id, index) => aUser({ id, status: isRemoved(index) ? 'removed' : 'enabled' }))),
    )
    const visited: Array<string> = []
    for (;;) {
      const page = await list(store, { after: visited.at(-1) ?? '', limit: 2 })
      visited.push(...idsOf(page))
      if (page.length === 0 || visited.length > ids.length) break
    }
    assert.deepEqual(visited, ids.filter((_, index) => !isRemoved(index)).sort())
  })
}

/** Each way to filter, a status that it lists, and the statuses that it does not list. */
const FILTERS = [
  { name: 'of any status', status: 'disabled', others: ['removed'] },
  { name: 'enabled', status: 'enabled', others: ['removed', 'disabled'] },
  { name: 'disabled', status: 'disabled', others: ['removed', 'enabled'] },
] as const

const filterOf = (name: (typeof FILTERS)[number]['name']): Pick<UserQuery, 'status'> =>
  name === 'of any status' ? {} : { status: name }

/** A change that writes these rows. */
const writing = (...users: ReadonlyArray<User>): Change => ({
  ...change(issuedToken()),
  rows: users.map((row) => ({ table: 'users', row })),
})

const list = (store: Store, query: Partial<UserQuery> = {}): Promise<ReadonlyArray<User>> =>
  ok(store.listUsers({ after: '', limit: HUGE, ...query }))

const idsOf = (users: ReadonlyArray<User>) => users.map(({ id }) => id)

const HUGE = Number.MAX_SAFE_INTEGER

/** The last one takes two units of UTF-16. */
const IN_ORDER = ['10', '9', 'B', 'a', 'a-', 'aa', 'b', 'é', '\uff5e', '\u{1f98a}']
