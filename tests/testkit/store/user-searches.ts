import assert from 'node:assert/strict'
import type { Change, Store, UserQuery } from '../../../application/ports/store.ts'
import { attributesText } from '../../../domain/attributes.ts'
import { emailKey, type User } from '../../../domain/user.ts'
import { aUser, change, issuedToken } from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check } from '../store.ts'

/** Users are listed by the beginning of an e-mail or a name, and by a role. */
export const userSearchCases = (check: Check): void => {
  check('users are listed by the beginning of an e-mail, in the order of their keys', async (store) => {
    const emails = [
      'Ada@example.com',
      'ada.b@example.com',
      'ada@EXAMPLE.org',
      'adam@example.com',
      'ad@example.com',
    ]
    await write(store, ...emails.map((email, index) => aUser({ id: `id-${9 - index}`, email })))
    const found = ['ada.b@example.com', 'ada@example.com', 'ada@example.org', 'adam@example.com']
    assert.deepEqual(emailsOf(await list(store, { emailPrefix: 'ada' })), found)
    for (const [index, after] of found.entries())
      assert.deepEqual(emailsOf(await list(store, { emailPrefix: 'ada', after })), found.slice(index + 1))
    assert.deepEqual(emailsOf(await list(store, { emailPrefix: 'ada@example.com' })), ['ada@example.com'])
  })

  check('the beginning of an e-mail is taken literally, and any text may come', async (store) => {
    await write(store, aUser({ email: 'ada_x%y@example.com' }), aUser({ email: 'adaax@example.com' }))
    assert.deepEqual(emailsOf(await list(store, { emailPrefix: 'ada_' })), ['ada_x%y@example.com'])
    assert.deepEqual(emailsOf(await list(store, { emailPrefix: 'ada_x%' })), ['ada_x%y@example.com'])
    for (const emailPrefix of [
      '%',
      '_da',
      'da',
      'ADA',
      'ada\0',
      '\u{10ffff}',
      'é',
      '\ud7ff',
      'adaax@example.com ',
    ])
      assert.deepEqual(await list(store, { emailPrefix }), [], JSON.stringify(emailPrefix))
  })

  check('the beginning of an e-mail never finds a removed user, whose id replaced it', async (store) => {
    const removed = Array.from({ length: 20 }, (_, index) => `a${index}`).map((id) =>
      aUser({ id, email: id, status: 'removed' }),
    )
    const disabled = aUser({ email: 'az@example.com', status: 'disabled' })
    await write(store, ...removed, disabled)
    assert.deepEqual(await list(store, { emailPrefix: 'a', limit: 2 }), [disabled])
  })

  check(
    'users are listed by the beginning of a name, then by id, code point by code point',
    async (store) => {
      const users = IN_ORDER.map(([name, id]) => aUser({ id, ...named(name) }))
      await write(store, ...[...users].reverse(), aUser({ id: 'x', ...named('b') }), aUser({ id: 'y' }))
      assert.deepEqual(await list(store, { namePrefix: 'a' }), users)
      for (const [index, [name, id]] of IN_ORDER.entries()) {
        const rest = await list(store, { namePrefix: 'a', after: name, afterId: id })
        assert.deepEqual(idsOf(rest), idsOf(users.slice(index + 1)), name)
      }
      assert.deepEqual(idsOf(await list(store, { namePrefix: 'ada l' })), ['4'])
      assert.deepEqual(idsOf(await list(store, { namePrefix: 'a🦊' })), ['9'])
    },
  )

  check('a page of names begins behind any name and id', async (store) => {
    await write(
      store,
      ...['1', '2', '3'].map((id) => aUser({ id, ...named('ada') })),
      aUser({ id: '0', ...named('adb') }),
    )
    const after = (name: string, afterId?: string) =>
      list(store, { namePrefix: 'ad', after: name, ...(afterId !== undefined && { afterId }) })
    assert.deepEqual(idsOf(await after('ada')), ['1', '2', '3', '0'])
    assert.deepEqual(idsOf(await after('ada', '11')), ['2', '3', '0'])
    assert.deepEqual(idsOf(await after('ada', '\0')), ['1', '2', '3', '0'])
    assert.deepEqual(idsOf(await after('ada\0', '')), ['0'])
    assert.deepEqual(idsOf(await after('aa', '2')), ['1', '2', '3', '0'])
    assert.deepEqual(idsOf(await after('ae', '')), [])
  })

  check('the beginning of a name finds enabled and disabled users, and is taken literally', async (store) => {
    const users = (['enabled', 'disabled', 'removed'] as const).map((status) =>
      aUser({ id: status, ...named('a_%'), status }),
    )
    await write(store, ...users, aUser(named('axx')))
    assert.deepEqual(idsOf(await list(store, { namePrefix: 'a_' })), ['disabled', 'enabled'])
    for (const namePrefix of ['A_', '%', '_', 'a_%\0', ' a_'])
      assert.deepEqual(await list(store, { namePrefix }), [], JSON.stringify(namePrefix))
  })

  check('users are listed by a whole role, by id, and by their status', async (store) => {
    const users = [
      aUser({ id: 'a', roles: ['admin', 'editor'] }),
      aUser({ id: 'b', roles: ['admin'], status: 'disabled' }),
      aUser({ id: 'c', roles: ['editor', 'shop:admin'] }),
      aUser({ id: 'd', roles: ['admin2'] }),
      aUser({ id: 'e', roles: [] }),
      aUser({ id: 'f', roles: ['admin'], status: 'removed' }),
      aUser({ id: 'g', roles: ['a', 'admin', 'z'] }),
    ]
    await write(store, ...users.reverse())
    const withRole = async (query: Partial<UserQuery>) => idsOf(await list(store, query))
    assert.deepEqual(await withRole({ role: 'admin' }), ['a', 'b', 'g'])
    assert.deepEqual(await withRole({ role: 'admin', status: 'enabled' }), ['a', 'g'])
    assert.deepEqual(await withRole({ role: 'admin', status: 'disabled' }), ['b'])
    assert.deepEqual(await withRole({ role: 'admin', after: 'a' }), ['b', 'g'])
    assert.deepEqual(await withRole({ role: 'editor' }), ['a', 'c'])
    for (const role of ['adm', 'ADMIN', '%', 'min', 'admin\0', 'nobody'])
      assert.deepEqual(await withRole({ role }), [], role)
  })

  for (const [what, query] of PAGES)
    check(`no more users are listed than asked for: ${what}`, async (store) => {
      const users = ['1', '2', '3', '4'].map((id) =>
        aUser({ id, email: `a${id}@example.com`, ...named(`a${id}`), roles: ['admin'] }),
      )
      await write(store, ...users)
      for (const limit of [0, 1, 3, 4, 5, HUGE])
        assert.deepEqual(idsOf(await list(store, { ...query, limit })), ['1', '2', '3', '4'].slice(0, limit))
    })

  check('users are found by the e-mail, the name and the roles that were last written', async (store) => {
    const user = aUser({ email: 'ada@example.com', ...named('ada'), roles: ['admin'] })
    const later = { ...user, email: 'eve@example.com', ...named('eve'), roles: ['editor'], version: 2 }
    await write(store, user)
    await write(store, later)
    for (const gone of [{ emailPrefix: 'ada' }, { namePrefix: 'ada' }, { role: 'admin' }])
      assert.deepEqual(await list(store, gone), [], JSON.stringify(gone))
    for (const query of [{ emailPrefix: 'eve' }, { namePrefix: 'eve' }, { role: 'editor' }])
      assert.deepEqual(await list(store, query), [later], JSON.stringify(query))
  })
}

/** What a user with this name has. */
const named = (name: string): Pick<User, 'attributes'> => ({ attributes: attributesText({ name }) })

/** Names that begin with a, with ids that sort otherwise. The last ones take two units of UTF-16. */
const IN_ORDER = [
  ['a', '7'],
  ['a b', '6'],
  ['ada', '2'],
  ['ada', '5'],
  ['ada lovelace', '4'],
  ['aé', '8'],
  ['a\uff5e', '1'],
  ['a🦊', '9'],
] as const

const PAGES = [
  ['by the beginning of an e-mail', { emailPrefix: 'a' }],
  ['by the beginning of a name', { namePrefix: 'a' }],
  ['by a role', { role: 'admin' }],
] as const

const write = (store: Store, ...users: ReadonlyArray<User>) => {
  const rows: Change['rows'] = users.map((row) => ({ table: 'users', row }))
  return commitAll(store, { ...change(issuedToken()), rows })
}

const list = (store: Store, query: Partial<UserQuery>): Promise<ReadonlyArray<User>> =>
  ok(store.listUsers({ after: '', limit: HUGE, ...query }))

const idsOf = (users: ReadonlyArray<User>) => users.map(({ id }) => id)
const emailsOf = (users: ReadonlyArray<User>) => users.map(({ email }) => emailKey(email))

const HUGE = Number.MAX_SAFE_INTEGER
