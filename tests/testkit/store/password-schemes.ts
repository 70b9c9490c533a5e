import assert from 'node:assert/strict'
import type { Change, SchemeQuery, Store } from '../../../application/ports/store.ts'
import { removed, type User } from '../../../domain/user.ts'
import { aUser, change, issuedToken, registered } from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check } from '../store.ts'

/** The schemes of the passwords in use are listed as users have them at this moment. */
export const passwordSchemeCases = (check: Check): void => {
  check('password schemes are listed once each, code point by code point', async (store) => {
    await commitAll(store, ...[...IN_ORDER].reverse().map(of), ...IN_ORDER.map(of))
    assert.deepEqual(await list(store), IN_ORDER)
  })

  check('a user without a password scheme has none listed', async (store) => {
    await commitAll(store, of(''))
    assert.deepEqual(await list(store), [])
    await commitAll(store, of('b'))
    assert.deepEqual(await list(store), ['b'])
  })

  check('the password scheme of a disabled user is listed', async (store) => {
    await commitAll(store, change(registered(aUser({ passwordScheme: 'a', status: 'disabled' }))))
    assert.deepEqual(await list(store), ['a'])
  })

  check('a password scheme is listed until its last user has another', async (store) => {
    const [one, other] = [aUser({ passwordScheme: 'old' }), aUser({ passwordScheme: 'old' })]
    await commitAll(store, change(registered(one), registered(other)))
    await commitAll(store, writing({ ...one, passwordScheme: 'new', version: 2 }))
    assert.deepEqual(await list(store), ['new', 'old'])
    await commitAll(store, writing({ ...removed(other), version: 2 }))
    assert.deepEqual(await list(store), ['new'])
  })

  check('password schemes are listed from the one after a scheme on', async (store) => {
    await commitAll(store, ...[...IN_ORDER].reverse().map(of))
    for (const [index, scheme] of IN_ORDER.entries())
      assert.deepEqual(await list(store, { after: scheme }), IN_ORDER.slice(index + 1), `after ${scheme}`)
    assert.deepEqual(await list(store, { after: 'ab' }), IN_ORDER.slice(IN_ORDER.indexOf('b')))
  })

  check('no more password schemes are listed than asked for', async (store) => {
    await commitAll(store, ...IN_ORDER.map(of))
    for (const limit of [0, 1, 3, IN_ORDER.length, 2 ** 32])
      assert.deepEqual(await list(store, { limit }), IN_ORDER.slice(0, limit), `limit ${limit}`)
    assert.deepEqual(await list(store, { after: 'B', limit: 2 }), ['a', 'aa'])
  })

  check('every password scheme is on one of the pages, and on no other', async (store) => {
    const schemes = Array.from({ length: 250 }, (_, index) => `scheme ${1000 + index}`)
    await commitAll(store, ...schemes.map(of))
    for (const limit of [100, 125]) {
      const listed: Array<string> = []
      for (let pages = 0; pages <= 3; pages += 1)
        listed.push(...(await list(store, { after: listed.at(-1) ?? '', limit })))
      assert.deepEqual(listed, schemes, `${limit} on a page`)
    }
  })
}

const of = (passwordScheme: string): Change => change(registered(aUser({ passwordScheme })))

/** A change that writes this user, with any event. */
const writing = (row: User): Change => ({ ...change(issuedToken()), rows: [{ table: 'users', row }] })

const list = (store: Store, query: Partial<SchemeQuery> = {}): Promise<ReadonlyArray<string>> =>
  ok(store.listPasswordSchemes({ after: '', limit: 1_000, ...query }))

/** What UTF-16 writes as two comes last. */
const IN_ORDER = [' ', '10', '9', 'B', 'a', 'aa', 'b', 'é', '\uff5e', '\u{1f98a}']
