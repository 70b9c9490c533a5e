import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Change, Row } from '../../../application/ports/store.ts'
import type { Application } from '../../../domain/application.ts'
import {
  anApplication,
  aSession,
  aUser,
  change,
  issuedToken,
  newId,
  registered,
  registeredApplication,
} from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check } from '../store.ts'

/** A session is found with the application that opened it, and listed only while that application is not revoked. */
export const sessionApplicationCases = (check: Check): void => {
  check('a session comes with the application it names, field by field', async (store) => {
    const application = anApplication({
      name: 'shop',
      scope: ['users:sign_in', 'users:register'],
      previousKey: some({ id: newId(), digest: 'e7'.repeat(32), untilSeconds: 4_102_444_802 }),
      revoked: true,
    })
    const user = aUser()
    const session = aSession({ userId: user.id, applicationId: application.id })
    await commitAll(
      store,
      change(registered(user), registeredApplication(application), registeredApplication()),
      writing({ table: 'sessions', row: session }),
    )
    assert.deepEqual(
      await ok(store.findSession(session.id)),
      some({ session, user, application: some(application) }),
    )
  })

  check('a session comes without an application where it names none that is there', async (store) => {
    const user = aUser()
    const sessions = [newId(), user.id, ''].map((applicationId) =>
      aSession({ userId: user.id, applicationId }),
    )
    await commitAll(
      store,
      change(registered(user), registeredApplication()),
      writing(...sessions.map((row) => ({ table: 'sessions' as const, row }))),
    )
    for (const session of sessions)
      assert.deepEqual(await ok(store.findSession(session.id)), some({ session, user, application: none }))
  })

  check('a session comes with its application as the application is now', async (store) => {
    const user = aUser()
    const application = anApplication()
    const session = aSession({ userId: user.id, applicationId: application.id })
    await commitAll(
      store,
      change(registered(user), registeredApplication(application)),
      writing({ table: 'sessions', row: session }),
      writing({ table: 'applications', row: revoked(application) }),
    )
    assert.deepEqual(
      await ok(store.findSession(session.id)),
      some({ session, user, application: some(revoked(application)) }),
    )
  })

  check('a session and its application are of one moment during any write', async (store) => {
    const user = aUser()
    const application = anApplication()
    const session = aSession({ userId: user.id, applicationId: application.id })
    const at = (version: number) =>
      writing(
        { table: 'sessions', row: { ...session, version } },
        { table: 'applications', row: { ...application, version } },
      )
    await commitAll(store, change(registered(user)), at(1))
    for (let version = 2; version < 20; version += 1) {
      const early = [ok(store.findSession(session.id)), ok(store.findSession(session.id))]
      const written = ok(store.commit(at(version)))
      const late = [ok(store.findSession(session.id)), ok(store.findSession(session.id))]
      for (const found of await Promise.all([...early, ...late])) {
        assert.ok(found._tag === 'Some' && found.value.application._tag === 'Some')
        assert.equal(found.value.application.value.version, found.value.session.version)
      }
      await written
    }
  })

  check('a session is not listed from when its application is revoked', async (store) => {
    const [one, other] = [anApplication(), anApplication()]
    const [first, second, third, fourth] = [one.id, other.id, one.id, other.id].map((applicationId, index) =>
      aSession({ userId: 'ada', applicationId, expiresAtSeconds: 500 - index }),
    )
    assert.ok(first !== undefined && second !== undefined && third !== undefined && fourth !== undefined)
    const list = (limit: number) =>
      ok(
        store.listSessions({
          userId: 'ada',
          passwordVersion: 1,
          sessionsVersion: 1,
          expiresAfterSeconds: 0,
          skip: 0,
          limit,
        }),
      )
    await commitAll(
      store,
      change(registeredApplication(one), registeredApplication(other)),
      writing(...[first, second, third, fourth].map((row) => ({ table: 'sessions' as const, row }))),
    )
    assert.deepEqual(await list(10), [first, second, third, fourth])
    await commitAll(store, writing({ table: 'applications', row: revoked(one) }))
    assert.deepEqual(await list(10), [second, fourth])
    assert.deepEqual(await list(2), [second, fourth], 'those that are left out do not count')
    assert.deepEqual(await list(1), [second])
  })

  check('a session that names an application that is not there is not listed', async (store) => {
    const application = anApplication()
    const [known, unknown] = [application.id, newId()].map((applicationId) =>
      aSession({ userId: 'ada', applicationId }),
    )
    assert.ok(known !== undefined && unknown !== undefined)
    await commitAll(
      store,
      change(registeredApplication(application)),
      writing({ table: 'sessions', row: known }, { table: 'sessions', row: unknown }),
    )
    assert.deepEqual(
      await ok(
        store.listSessions({
          userId: 'ada',
          passwordVersion: 1,
          sessionsVersion: 1,
          expiresAfterSeconds: 0,
          skip: 0,
          limit: 10,
        }),
      ),
      [known],
    )
  })
}

/** A change that writes these rows, with any event. */
const writing = (...rows: ReadonlyArray<Row>): Change => ({ ...change(issuedToken()), rows })

const revoked = (application: Application): Application => ({
  ...application,
  revoked: true,
  version: application.version + 1,
})
