import assert from 'node:assert/strict'
import { type Change, PASSWORD_SCHEMES_AT_MOST, type Store } from '../../../application/ports/store.ts'
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

  check('no more than a hundred password schemes are listed, the first of them', async (store) => {
    assert.equal(PASSWORD_SCHEMES_AT_MOST, 100)
    const schemes = Array.from({ length: 103 }, (_, index) => `scheme ${1000 + index}`)
    await commitAll(store, ...schemes.map(of))
    assert.deepEqual(await list(store), schemes.slice(0, 100))
  })
}

const of = (passwordScheme: string): Change => change(registered(aUser({ passwordScheme })))

/** A change that writes this user, with any event. */
const writing = (row: User): Change => ({ ...change(issuedToken()), rows: [{ table: 'users', row }] })

const list = (store: Store): Promise<ReadonlyArray<string>> => ok(store.listPasswordSchemes())

/** What UTF-16 writes as two comes last. */
const IN_ORDER = [' ', '10', '9', 'B', 'a', 'aa', 'b', 'é', '\uff5e', '\u{1f98a}']
