import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
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
import { commitAll, ok, refused, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'

/** A change is written whole or not at all. */
export const atomicityCases = (check: Check): void => {
  check('a change whose last row conflicts writes neither events nor other rows', async (store) => {
    const [application, existing] = [anApplication(), anApplication()]
    await commitAll(store, change(registeredApplication(existing)))
    const before = await wholeLog(store)
    const halfGood = change(registeredApplication(application), registeredApplication(existing))
    await refused(store.commit(halfGood), { _tag: 'Conflict' })
    assert.deepEqual(await ok(store.findApplication(application.id)), none)
    assert.deepEqual(await wholeLog(store), before)
  })

  check('a change whose first row conflicts writes neither events nor other rows', async (store) => {
    const [application, existing] = [anApplication(), anApplication()]
    await commitAll(store, change(registeredApplication(existing)))
    const before = await wholeLog(store)
    const halfGood = change(registeredApplication(existing), registeredApplication(application))
    await refused(store.commit(halfGood), { _tag: 'Conflict' })
    assert.deepEqual(await ok(store.findApplication(application.id)), none)
    assert.deepEqual(await wholeLog(store), before)
  })

  check('a change that takes a taken e-mail writes neither events nor other rows', async (store) => {
    const application = anApplication()
    const [holder, rival] = [aUser({ email: 'ada@example.com' }), aUser({ email: 'ada@example.com' })]
    await commitAll(store, change(registered(holder)))
    const before = await wholeLog(store)
    const halfGood = change(registeredApplication(application), registered(rival))
    await refused(store.commit(halfGood), { _tag: 'EmailTaken' })
    assert.deepEqual(await ok(store.findApplication(application.id)), none)
    assert.deepEqual(await ok(store.findUserByEmail('ada@example.com')), some(holder))
    assert.deepEqual(await wholeLog(store), before)
  })

  check('a password change from a stale session leaves the user as it was', async (store) => {
    const user = aUser()
    const session = aSession({ userId: user.id })
    await commitAll(store, change(registered(user), signedIn(session)), change(signedOut(session)))
    await refused(store.commit(change(changedPassword(user, session))), {
      _tag: 'Conflict',
    })
    assert.deepEqual(await ok(store.findUserByEmail(user.email)), some(user))
  })

  check('a change that creates one record twice is a conflict with itself', async (store) => {
    const application = anApplication()
    const twice = change(registeredApplication(application), registeredApplication(application))
    await refused(store.commit(twice), { _tag: 'Conflict' })
    assert.deepEqual(await ok(store.findApplication(application.id)), none)
    assert.deepEqual(await wholeLog(store), [])
  })

  check('a change that gives one e-mail to two new users is refused', async (store) => {
    const [one, other] = [aUser({ email: 'ada@example.com' }), aUser({ email: 'ADA@example.com' })]
    const both = change(registered(one), registered(other))
    await refused(store.commit(both), { _tag: 'EmailTaken' })
    assert.deepEqual(await ok(store.findUserByEmail('ada@example.com')), none)
    assert.deepEqual(await wholeLog(store), [])
  })

  check('a refused change takes no e-mail', async (store) => {
    const refusedOne = change(registered(aUser({ email: 'ada@example.com' })), signedOut())
    await refused(store.commit(refusedOne), { _tag: 'Conflict' })
    assert.deepEqual(await ok(store.findUserByEmail('ada@example.com')), none)
    const user = aUser({ email: 'Ada@example.com' })
    await commitAll(store, change(registered(user)))
    assert.deepEqual(await ok(store.findUserByEmail('ada@example.com')), some(user))
  })

  check('a refused change takes no position', async (store) => {
    const [first, last] = [change(issuedToken()), change(issuedToken())]
    await commitAll(store, first)
    await refused(store.commit(change(issuedToken(), signedOut())), { _tag: 'Conflict' })
    await commitAll(store, last)
    assert.deepEqual(
      (await wholeLog(store)).map(({ position, id }) => [position, id]),
      [
        [1, first.id],
        [2, last.id],
      ],
    )
  })

  check('a change that is asked for but not run is not written', async (store) => {
    const asked = change(issuedToken())
    const task = store.commit(asked)
    assert.deepEqual(await wholeLog(store), [])
    await ok(task)
    assert.deepEqual(
      (await wholeLog(store)).map(({ id }) => id),
      [asked.id],
    )
  })
}
