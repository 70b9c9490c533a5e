import { expect } from 'chai'
import * as fc from 'fast-check'
import { fromNullable, none, some } from 'fp-ts/lib/Option.js'
import { emailKey } from '../../domain/user.ts'
import { anyCharacter } from '../support/code-points.ts'
import { onEverySharedStore } from '../support/every-store.ts'
import { fail, succeed } from '../support/outcome.ts'
import {
  anApplication,
  aSession,
  aUser,
  change,
  registered,
  registeredApplication,
  signedIn,
} from '../testkit/builders.ts'
import { commitAll } from '../testkit/outcome.ts'

const KEYS = ['b', 'bb', 'd', 'd\ufffd', 'd\u{10fffd}']

/** The keys themselves, keys before, between and after them, and keys that no row can hold. */
const asked = fc.oneof(
  fc.constantFrom(...KEYS, 'd\0', '\0', 'd\ud800', '\udfff', 'b\0', 'b\ud83e'),
  fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'c', 'd', '\0', '\ud800', '\u{10fffd}'), maxLength: 3 }),
  fc.string({ unit: anyCharacter }),
)

/** Without a matching row, the store reads a neighbour so that the lookup takes the same time. */
onEverySharedStore('a lookup by a key that a client may have invented', (stores) => {
  it('finds the row of this key and never a neighbour', async () => {
    const { store } = await stores.lasting()
    const applications = KEYS.map((id) => anApplication({ id }))
    const users = KEYS.map((email) => aUser({ email }))
    const sessions = KEYS.map((id, index) => aSession({ id, userId: users[index]?.id ?? '' }))
    for (const application of applications) await commitAll(store, change(registeredApplication(application)))
    for (const user of users) await commitAll(store, change(registered(user)))
    for (const session of sessions) await commitAll(store, change(signedIn(session)))
    await fc.assert(
      fc.asyncProperty(asked, async (key) => {
        expect(await succeed(store.findApplication(key))).to.deep.equal(
          fromNullable(applications.find(({ id }) => id === key)),
        )
        expect(await succeed(store.findUserByEmail(key))).to.deep.equal(
          fromNullable(users.find(({ email }) => email === emailKey(key))),
        )
        const index = sessions.findIndex(({ id }) => id === key)
        expect(await succeed(store.findSession(key))).to.deep.equal(
          index < 0 ? none : some({ session: sessions[index], user: users[index], application: none }),
        )
      }),
      { numRuns: 300 },
    )
  }).timeout(60_000)

  it('succeeds beside a damaged neighbour', async () => {
    const { store, environment } = await stores.lasting()
    const [good, bad] = [aUser({ email: 'b' }), aUser({ email: 'd' })]
    await commitAll(store, change(registered(good), registered(bad)))
    await stores.kind.spoil(environment.DATABASE_URL, "UPDATE users SET status = 'asleep' WHERE email = 'd'")
    expect(await fail(store.findUserByEmail('d'))).to.deep.equal({
      _tag: 'StoreUnavailable',
      reason: 'unreadable entry in users',
    })
    for (const unknown of ['', 'c', 'e', '\u{10ffff}', 'd\0']) {
      expect(await succeed(store.findUserByEmail(unknown)), unknown).to.equal(none)
    }
    expect(await succeed(store.findUserByEmail('b'))).to.deep.equal(some(good))
  })
})
