import { expect } from 'chai'
import * as fc from 'fast-check'
import { fromNullable, none, some } from 'fp-ts/lib/Option.js'
import { sqliteStore } from '../../adapters/stores/sqlite/store.ts'
import { emailKey } from '../../domain/user.ts'
import { anyCharacter } from '../support/code-points.ts'
import { fail, succeed } from '../support/outcome.ts'
import { anApplication, aUser, change, registered, registeredApplication } from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'
import { onFile } from './folder.ts'
import { withRaw } from './raw.ts'

const KEYS = ['b', 'bb', 'd', 'd\u{10fffd}']

/** The keys themselves, and keys before, between and after them. */
const asked = fc.oneof(
  fc.constantFrom(...KEYS),
  fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'c', 'd', '\0', '\u{10fffd}'), maxLength: 3 }),
  fc.string({ unit: anyCharacter }),
)

/** Without a matching row, the store reads a neighbour so that the lookup takes the same time. */
describe('a lookup by a key that a client may have invented', () => {
  it(
    'finds the row of this key and never a neighbour',
    onFile(async (path) => {
      const store = sqliteStore(path)
      const applications = KEYS.map((id) => anApplication({ id }))
      const users = KEYS.map((email) => aUser({ email }))
      await commitAll(store, ...applications.map((application) => change(registeredApplication(application))))
      await commitAll(store, ...users.map((user) => change(registered(user))))
      await fc.assert(
        fc.asyncProperty(asked, async (key) => {
          expect(await succeed(store.findApplication(key))).to.deep.equal(
            fromNullable(applications.find(({ id }) => id === key)),
          )
          expect(await succeed(store.findUserByEmail(key))).to.deep.equal(
            fromNullable(users.find(({ email }) => email === emailKey(key))),
          )
        }),
        { numRuns: 500 },
      )
      await store.close()
    }),
  )

  it(
    'succeeds beside a damaged neighbour',
    onFile(async (path) => {
      const store = sqliteStore(path)
      const [good, bad] = [aUser({ email: 'b' }), aUser({ email: 'd' })]
      await commitAll(store, change(registered(good), registered(bad)))
      withRaw(path, (db) => db.exec("UPDATE users SET status = 'asleep' WHERE email = 'd'"))
      expect(await fail(store.findUserByEmail('d'))).to.deep.equal({
        _tag: 'StoreUnavailable',
        reason: 'unreadable entry in users',
      })
      for (const unknown of ['c', 'e']) {
        expect(await succeed(store.findUserByEmail(unknown)), unknown).to.equal(none)
      }
      expect(await succeed(store.findUserByEmail('b'))).to.deep.equal(some(good))
      await store.close()
    }),
  )
})
