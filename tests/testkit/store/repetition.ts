import assert from 'node:assert/strict'
import { isSome, none, some } from 'fp-ts/lib/Option.js'
import type { Change, NewEntry } from '../../../application/ports/store.ts'
import {
  anApplication,
  aSession,
  aUser,
  change,
  changedPassword,
  issuedToken,
  registered,
  registeredApplication,
  signedIn,
  signedOut,
} from '../builders.ts'
import { commitAll, commitAtOnce, ok, refused, tally, unavailable, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'

/** A change whose id is in the log already is a success that writes nothing. */
export const repetitionCases = (check: Check): void => {
  check('a change committed again is a success that writes nothing', async (store) => {
    const application = anApplication()
    const once = change(registeredApplication(application), registered(), issuedToken())
    await commitAll(store, once)
    const before = await wholeLog(store)
    await commitAll(store, once, once)
    assert.deepEqual(await wholeLog(store), before)
    assert.deepEqual(await ok(store.findApplication(application.id)), some(application))
  })

  check('a change without rows committed again is a success that writes nothing', async (store) => {
    const once = change(issuedToken())
    await commitAll(store, once, once)
    assert.equal((await wholeLog(store)).length, 1)
  })

  for (const [which, foreign] of FOREIGN_EVENTS) {
    check(`a change that holds ${which} is refused and writes nothing`, async (store) => {
      const application = anApplication()
      const known = change(issuedToken(), registered())
      await commitAll(store, known)
      const before = await wholeLog(store)
      const made = change(registeredApplication(application), issuedToken(), issuedToken())
      const [first, second, third] = made.events
      const taken = foreign(known, first)
      for (const others of [[taken, third], [second, taken], [taken]]) {
        const change = { ...made, events: [first, ...others] } as Change
        await unavailable(store.commit(change))
      }
      assert.deepEqual(await wholeLog(store), before)
      assert.deepEqual(await ok(store.findApplication(application.id)), none)
      // The event that it has for its own was not written, so that it can be yet.
      await commitAll(store, made)
      assert.deepEqual(
        (await wholeLog(store)).slice(before.length).map(({ id }) => id),
        [first.id, second?.id, third?.id],
      )
    })
  }

  check('one change committed 20 times at once succeeds every time and is written once', async (store) => {
    const user = aUser()
    const once = change(registered(user), issuedToken())
    const outcomes = await commitAtOnce(
      store,
      Array.from({ length: 20 }, () => once),
    )
    assert.deepEqual(tally(outcomes), { success: 20 })
    assert.deepEqual(
      (await wholeLog(store)).map(({ id }) => id),
      once.events.map(({ id }) => id),
    )
    assert.deepEqual(await ok(store.findUserByEmail(user.email)), some(user))
  })

  check('a change committed again after later changes undoes nothing', async (store) => {
    const user = aUser()
    const session = aSession({ userId: user.id })
    const registration = change(registered(user), signedIn(session))
    await commitAll(store, registration, change(changedPassword(user, session, '1$$bmV3')))
    await commitAll(store, registration)
    const found = await ok(store.findUserByEmail(user.email))
    assert.ok(isSome(found))
    assert.equal(found.value.passwordRecord, '1$$bmV3')
    assert.equal((await wholeLog(store)).length, 3)
  })

  check('a refused change is judged anew when it is committed again', async (store) => {
    const user = aUser()
    const session = aSession({ userId: user.id })
    const early = change(signedOut(session))
    await refused(store.commit(early), { _tag: 'Conflict' })
    await refused(store.commit(early), { _tag: 'Conflict' })
    await commitAll(store, change(registered(user), signedIn(session)), early)
    const found = await ok(store.findSession(session.id))
    assert.ok(isSome(found))
    assert.equal(found.value.session.signedOut, true)
    assert.equal((await wholeLog(store)).at(-1)?.id, early.id)
  })
}

/** An event that a change has no right to, beside its first one. */
const FOREIGN_EVENTS: ReadonlyArray<
  readonly [string, (known: Change, first: NewEntry) => NewEntry | undefined]
> = [
  ['the first event of a change that is in the log', (known) => known.events[0]],
  ['a later event of a change that is in the log', (known) => known.events[1]],
  ['an event twice', (_, first) => first],
]
