import assert from 'node:assert/strict'
import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Row, Store } from '../../../application/ports/store.ts'
import type { Session } from '../../../domain/session.ts'
import type { User } from '../../../domain/user.ts'
import {
  anApplication,
  aSession,
  aUser,
  change,
  issuedToken,
  registered,
  registeredApplication,
} from '../builders.ts'
import { commitAll, ok, wholeLog } from '../outcome.ts'
import type { Check } from '../store.ts'

/** The label of a session is personal data, which is gone with the end of the session. */
export const labelCases = (check: Check): void => {
  check('a session that a change of its user has ended is found without its label', async (store) => {
    const { ada, sessions } = await withLabels(store)
    for (const session of sessions.of) assert.deepEqual(await found(store, session), some(session))
    await commitAll(store, writing(userRow(ada, { passwordVersion: 8, version: 2 })))
    for (const session of sessions.of)
      assert.deepEqual(await found(store, session), some({ ...session, label: none }))
    assert.deepEqual(await found(store, sessions.ofAnother), some(sessions.ofAnother))
  })

  check('a session of a disabled user is found without its label', async (store) => {
    const { ada, sessions } = await withLabels(store)
    await commitAll(store, writing(userRow(ada, { status: 'disabled', version: 2 })))
    for (const session of sessions.of)
      assert.deepEqual(await found(store, session), some({ ...session, label: none }))
  })

  check('a change of a user writes no row of the sessions that it ends', async (store) => {
    const { ada, sessions } = await withLabels(store)
    await commitAll(store, writing(userRow(ada, { sessionsVersion: 4, version: 2 })))
    assert.deepEqual(await rowsOf(store), byId([...sessions.of, sessions.ofAnother]))
  })

  check('labels of ended sessions are erased, and nothing else', async (store) => {
    const { ada, sessions } = await withLabels(store)
    const kept = { ...first(sessions.of), passwordVersion: 8, sessionsVersion: 4, version: 2 }
    const user = { passwordVersion: 8, sessionsVersion: 4, version: 2 }
    await commitAll(store, writing(userRow(ada, user), { table: 'sessions', row: kept }))
    const log = await wholeLog(store)
    assert.equal(await ok(store.eraseEndedLabels(100)), false)
    const ended = sessions.of.slice(1).map((session) => ({ ...session, label: none }))
    assert.deepEqual(await rowsOf(store), byId([kept, ...ended, sessions.ofAnother]))
    assert.deepEqual(await ok(store.findUser(ada.id)), some({ ...ada, ...user }))
    assert.deepEqual(await wholeLog(store), log)
  })

  for (const version of ['passwordVersion', 'sessionsVersion'] as const)
    check(`labels of sessions under a former ${version} are erased`, async (store) => {
      const { ada } = await withLabels(store)
      await commitAll(store, writing(userRow(ada, { [version]: ada[version] + 1, version: 2 })))
      await ok(store.eraseEndedLabels(100))
      assert.equal(labelsIn(await rowsOf(store)), 1)
    })

  check('at most so many labels are erased at once, and all after enough calls', async (store) => {
    const { ada } = await withLabels(store)
    await commitAll(store, writing(userRow(ada, { sessionsVersion: 4, version: 2 })))
    assert.equal(await ok(store.eraseEndedLabels(2)), true)
    assert.equal(labelsIn(await rowsOf(store)), 2)
    await eraseAll(store)
    assert.equal(labelsIn(await rowsOf(store)), 1)
    await commitAll(store, writing({ table: 'sessions', row: labelled(ada, { sessionsVersion: 4 }) }))
    assert.equal(await ok(store.eraseEndedLabels(2)), false)
    assert.equal(labelsIn(await rowsOf(store)), 2)
  })

  check('the labels of many users are erased', async (store) => {
    const users = Array.from({ length: 5 }, () => aUser())
    for (const user of users)
      await commitAll(store, change(registered(user)), writing({ table: 'sessions', row: labelled(user) }))
    await commitAll(store, ...users.map((user) => writing(userRow(user, { sessionsVersion: 2, version: 2 }))))
    await eraseAll(store)
    assert.equal(labelsIn(await rowsOf(store)), 0)
  })
}

/** Erases two labels at once, until none is left. */
const eraseAll = async (store: Store): Promise<void> => {
  for (let calls = 0; calls < 9; calls += 1) if (!(await ok(store.eraseEndedLabels(2)))) return
  assert.fail('labels are still left')
}

/** A session of a revoked or absent application has ended. */
const SHOP = anApplication()

const labelled = (user: User, fields: Partial<Session> = {}): Session => {
  const { id: userId, passwordVersion, sessionsVersion } = user
  const session = aSession({ userId, passwordVersion, sessionsVersion, ...fields })
  return { ...session, applicationId: SHOP.id, label: some(`browser of ${session.id}`) }
}

/** A user with three labelled sessions, and one of another user. */
const withLabels = async (store: Store) => {
  const [ada, bob] = [aUser({ passwordVersion: 7, sessionsVersion: 3 }), aUser()]
  const sessions = { of: [1, 2, 3].map(() => labelled(ada)), ofAnother: labelled(bob) }
  const rows = [...sessions.of, sessions.ofAnother].map((row) => ({ table: 'sessions', row }) as const)
  await commitAll(
    store,
    change(registeredApplication(SHOP), registered(ada), registered(bob)),
    writing(...rows),
  )
  return { ada, sessions }
}

const userRow = (user: User, fields: Partial<User>): Row => ({ table: 'users', row: { ...user, ...fields } })

/** A change that writes these rows, with any event. */
const writing = (...rows: ReadonlyArray<Row>) => ({ ...change(issuedToken()), rows })

const first = (sessions: ReadonlyArray<Session>): Session => sessions[0] ?? assert.fail()

const rowsOf = (store: Store): Promise<ReadonlyArray<Session>> =>
  ok(store.listRows({ table: 'sessions', after: '', limit: 100 }))

/** Their ids are UUIDs. */
const byId = (sessions: ReadonlyArray<Session>): ReadonlyArray<Session> =>
  [...sessions].sort((one, other) => (one.id < other.id ? -1 : 1))

const labelsIn = (sessions: ReadonlyArray<Session>): number =>
  sessions.filter(({ label }) => isSome(label)).length

const found = async (store: Store, { id }: Session): Promise<Option<Session>> => {
  const facts = await ok(store.findSession(id))
  return isSome(facts) ? some(facts.value.session) : none
}
