import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Change, SessionQuery, Store } from '../../../application/ports/store.ts'
import type { Session } from '../../../domain/session.ts'
import {
  anApplication,
  aSession,
  aUser,
  change,
  changeBy,
  issuedToken,
  newId,
  registered,
  registeredApplication,
  signedIn,
} from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check } from '../store.ts'

/** The sessions of a user that may be alive can be listed. */
export const sessionCases = (checkEmpty: Check): void => {
  const check: Check = (name, run) =>
    checkEmpty(name, async (store) => {
      await commitAll(store, change(registeredApplication(SHOP)))
      await run(store)
    })

  check('sessions of a user are listed field by field', async (store) => {
    const whole = of('ada', {
      passwordVersion: 7,
      sessionsVersion: 8,
      createdAtSeconds: 4_102_444_797,
      expiresAtSeconds: 4_102_444_799,
      endsAtSeconds: 4_102_444_801,
      renewedAtSeconds: some(4_102_444_798),
      passwordChangedAtSeconds: some(4_102_444_795),
      cookie: some('5e'.repeat(32)),
      browserId: some('019b7d3f-0000-7000-8000-00000000b0b0'),
      label: some('Ünicode’s “browser” 🦊'),
      methods: 'password totp',
      authenticatedAtSeconds: 4_102_444_796,
    })
    const lacking = of('ada', {
      passwordVersion: 7,
      sessionsVersion: 8,
      expiresAtSeconds: 4_102_444_798,
      renewedAtSeconds: none,
      label: none,
    })
    await commitAll(store, writing(whole, lacking))
    assert.deepEqual(await list(store, { passwordVersion: 7, sessionsVersion: 8 }), [whole, lacking])
  })

  check('the session that expires last comes first, whichever was written first', async (store) => {
    const [first, second, third] = [200, 300, 100].map((seconds) => of('ada', { expiresAtSeconds: seconds }))
    assert.ok(first !== undefined && second !== undefined && third !== undefined)
    await commitAll(store, writing(first), writing(second, third))
    assert.deepEqual(await list(store), [second, first, third])
  })

  check(
    'of sessions that expire together the greater id comes first, code point by code point',
    async (store) => {
      const sessions = IN_ORDER.map((id) => of('ada', { id }))
      await commitAll(store, ...[...sessions.slice(3), ...sessions.slice(0, 3)].map((each) => writing(each)))
      assert.deepEqual(await list(store), [...sessions].reverse())
    },
  )

  check('the first sessions are left out as asked for', async (store) => {
    const sessions = [500, 400, 300, 200].map((seconds) => of('ada', { expiresAtSeconds: seconds }))
    await commitAll(store, writing(...sessions))
    for (const skip of [0, 1, 3, 4, 5])
      assert.deepEqual(await list(store, { skip, limit: 2 }), sessions.slice(skip, skip + 2), `skip ${skip}`)
  })

  check('no more sessions are listed than asked for', async (store) => {
    const sessions = [500, 400, 300, 200].map((seconds) => of('ada', { expiresAtSeconds: seconds }))
    await commitAll(store, writing(...sessions))
    for (const limit of [0, 1, 3, 4, 5, HUGE])
      assert.deepEqual(await list(store, { limit }), sessions.slice(0, limit), `limit ${limit}`)
  })

  check('a session is listed until the second in which it expires', async (store) => {
    const [early, late] = [of('ada', { expiresAtSeconds: 100 }), of('ada', { expiresAtSeconds: 101 })]
    await commitAll(store, writing(early, late))
    assert.deepEqual(await list(store, { expiresAfterSeconds: 99 }), [late, early])
    assert.deepEqual(await list(store, { expiresAfterSeconds: 100 }), [late])
    assert.deepEqual(await list(store, { expiresAfterSeconds: 101 }), [])
  })

  check('a session that is signed out is not listed', async (store) => {
    const [open, ended] = [of('ada'), of('ada', { signedOut: true })]
    await commitAll(store, writing(open, ended))
    assert.deepEqual(await list(store), [open])
  })

  check('a session under another password version is not listed', async (store) => {
    const [before, now, later] = [1, 2, 3].map((passwordVersion) => of('ada', { passwordVersion }))
    assert.ok(before !== undefined && now !== undefined && later !== undefined)
    await commitAll(store, writing(before, now, later))
    assert.deepEqual(await list(store, { passwordVersion: 2 }), [now])
  })

  check('a session under another sessions version is not listed', async (store) => {
    const [before, now, later] = [1, 2, 3].map((sessionsVersion) => of('ada', { sessionsVersion }))
    assert.ok(before !== undefined && now !== undefined && later !== undefined)
    await commitAll(store, writing(before, now, later))
    assert.deepEqual(await list(store, { sessionsVersion: 2 }), [now])
  })

  check('sessions of others are not listed, however alike their ids are', async (store) => {
    const own = of('ada')
    const others = ['ADA', 'ad', 'adaa', 'a_a', '%', ''].map((userId) => of(userId))
    await commitAll(store, writing(own, ...others))
    assert.deepEqual(await list(store), [own])
    assert.deepEqual(await list(store, { userId: 'a%' }), [])
    assert.deepEqual(await list(store, { userId: newId() }), [])
  })

  check('a session is listed as it was last written', async (store) => {
    const session = of('ada')
    const again = { ...session, passwordVersion: 2, version: 2 }
    await commitAll(store, writing(session), writing(again))
    assert.deepEqual(await list(store), [])
    assert.deepEqual(await list(store, { passwordVersion: 2 }), [again])
    await commitAll(store, writing({ ...again, signedOut: true, version: 3 }))
    assert.deepEqual(await list(store, { passwordVersion: 2 }), [])
  })

  check('what is listed once a commit has resolved holds its session', async (store) => {
    const user = aUser()
    await commitAll(store, change(registered(user)))
    const openAndList = async () => {
      const session = of(user.id)
      await ok(store.commit(changeBy({ actor: { kind: 'application', id: SHOP.id } }, signedIn(session))))
      const listed = await list(store, { userId: user.id })
      assert.deepEqual(
        listed.find(({ id }) => id === session.id),
        session,
      )
    }
    await Promise.all(Array.from({ length: 30 }, openAndList))
  })
}

/** The sessions of revoked or absent applications are not listed. */
const SHOP = anApplication()

const of = (userId: string, fields: Partial<Session> = {}): Session =>
  aSession({ userId, applicationId: SHOP.id, ...fields })

/** A change that writes these rows, with any event. */
const writing = (...sessions: ReadonlyArray<Session>): Change => ({
  ...change(issuedToken()),
  rows: sessions.map((row) => ({ table: 'sessions', row })),
})

const list = (store: Store, query: Partial<SessionQuery> = {}): Promise<ReadonlyArray<Session>> =>
  ok(
    store.listSessions({
      userId: 'ada',
      passwordVersion: 1,
      sessionsVersion: 1,
      expiresAfterSeconds: 0,
      skip: 0,
      limit: HUGE,
      ...query,
    }),
  )

/** As much as a caller can ask for who wants everything. */
const HUGE = Number.MAX_SAFE_INTEGER

/** What UTF-16 writes as two comes last. */
const IN_ORDER = ['10', '9', 'B', 'a', 'aa', 'b', 'é', '\uff5e', '\u{1f98a}']
