import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import { some } from 'fp-ts/lib/Option.js'
import type { Change } from '../../../application/ports/store.ts'
import {
  aFactor,
  aKey,
  anApplication,
  aOneTimeToken,
  aRenewal,
  aRevokedToken,
  aSession,
  aUser,
  change,
  changeBy,
  changedPassword,
  createdKey,
  issuedToken,
  registered,
  registeredApplication,
  revokedToken,
  signedIn,
  signedOut,
  startedRecovery,
} from '../builders.ts'
import { commitAll, commitAtOnce, ok, refused, unavailable, wholeLog } from '../outcome.ts'
import type { SharedCheck } from '../store.ts'
import { READS } from './reads.ts'
import { writing } from './tables.ts'

/** What is done through one handle is done, for every other one too. */
export const sharedCases = (check: SharedCheck): void => {
  for (const [method, read] of READS) {
    check(
      `${method} says what another handle has written, however often it was asked`,
      async (one, other) => {
        const user = aUser({ id: 'ada', email: 'ada@example.com' })
        const application = anApplication({ id: 'application' })
        const session = aSession({ id: 'session', userId: user.id, applicationId: application.id })
        const key = aKey()
        const token = aOneTimeToken({ digest: 'digest', userId: user.id, applicationId: application.id })
        const factor = aFactor({ id: 'factor', userId: user.id })
        const writes: ReadonlyArray<Change> = [
          changeBy(
            { actor: { kind: 'application', id: application.id } },
            registered(user),
            registeredApplication(application),
            signedIn(session),
            createdKey(key),
          ),
          writing({ table: 'users', row: { ...user, status: 'disabled', version: 2 } }),
          writing({ table: 'applications', row: { ...application, revoked: true, version: 2 } }),
          writing({ table: 'sessions', row: { ...session, signedOut: true, version: 2 } }),
          writing({ table: 'keys', row: { ...key, retired: true, version: 2 } }),
          change(revokedToken(aRevokedToken({ id: 'token', applicationId: 'application' }))),
          change(startedRecovery(token)),
          writing({ table: 'one_time_tokens', row: { ...token, used: true, version: 2 } }),
          writing({ table: 'factors', row: factor }),
          writing({ table: 'factors', row: { ...factor, removed: true, version: 2 } }),
        ]
        await read(other)
        for (const write of writes) {
          await commitAll(one, write)
          assert.deepEqual(await read(other), await read(one))
        }
        await ok(one.renewEpoch(aRenewal))
        assert.deepEqual(await read(other), await read(one))
      },
    )
  }

  check('what is read on another handle once a commit has resolved holds it', async (one, other, third) => {
    const registerAndRead = async () => {
      const user = aUser()
      await ok(one.commit(change(registered(user))))
      for (const handle of [other, third])
        assert.deepEqual(await ok(handle.findUserByEmail(user.email)), some(user))
    }
    await Promise.all(Array.from({ length: 30 }, registerAndRead))
  })

  check('what was read before another handle wrote is not written', async (one, other) => {
    const user = aUser()
    const session = aSession({ userId: user.id })
    await commitAll(one, change(registered(user), signedIn(session)))
    await commitAll(other, change(signedOut(session)))
    await refused(one.commit(change(changedPassword(user, session))), { _tag: 'Conflict' })
    assert.deepEqual(await ok(one.findUserByEmail(user.email)), some(user))
    assert.equal((await wholeLog(one)).length, 3)
  })

  check(
    'an e-mail that was taken through one handle is taken through the others',
    async (one, other, third) => {
      await commitAll(one, change(registered(aUser({ email: 'ada@example.com' }))))
      for (const handle of [other, third]) {
        const rival = change(registered(aUser({ email: 'ADA@example.com' })))
        await refused(handle.commit(rival), { _tag: 'EmailTaken' })
      }
    },
  )

  check(
    'a change that is known through one handle is known through the others',
    async (one, other, third) => {
      const known = change(registered(), issuedToken())
      await commitAll(one, known)
      const before = await wholeLog(one)
      for (const handle of [other, third]) await commitAll(handle, known)
      assert.deepEqual(await wholeLog(one), before)
    },
  )

  check('an event that another handle has logged is refused in another change', async (one, other) => {
    const known = change(issuedToken())
    await commitAll(one, known)
    const made = change(issuedToken())
    const foreign: Change = { ...made, events: [made.events[0], known.events[0]] }
    await unavailable(other.commit(foreign))
    assert.equal((await wholeLog(one)).length, 1)
  })

  check('closing one handle drops none of its commits, and leaves the others open', async (one, other) => {
    const waiting = commitAtOnce(
      one,
      Array.from({ length: 20 }, () => change(issuedToken())),
    )
    await one.close()
    assert.ok((await waiting).every(isRight))
    await commitAll(other, change(issuedToken()))
    assert.equal((await wholeLog(other)).length, 21)
  })
}
