import assert from 'node:assert/strict'
import { isSome, none, type Option, some } from 'fp-ts/lib/Option.js'
import type { Row, Store } from '../../../application/ports/store.ts'
import type { Session } from '../../../domain/session.ts'
import type { User } from '../../../domain/user.ts'
import { aSession, aUser, change, issuedToken, registered } from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check } from '../store.ts'

/** The label of a session is personal data, which is gone with the end of the session. */
export const labelCases = (check: Check): void => {
  check(
    'the row of a user erases the labels of the sessions that it ends, and nothing else',
    async (store) => {
      const { ada, sessions } = await withLabels(store)
      const { ended, kept, ofAnother } = sessions
      await commitAll(store, writing({ table: 'users', row: { ...ada, passwordVersion: 8, version: 2 } }))
      for (const session of ended)
        assert.deepEqual(await found(store, session), some({ ...session, label: none }))
      for (const session of [kept, ofAnother]) assert.deepEqual(await found(store, session), some(session))
    },
  )

  check('a session that is written with the user keeps its label', async (store) => {
    const { ada, sessions } = await withLabels(store)
    const [first] = sessions.ended
    assert.ok(first !== undefined)
    const after = { ...first, passwordVersion: 8, version: 2 }
    await commitAll(
      store,
      writing(
        { table: 'users', row: { ...ada, passwordVersion: 8, version: 2 } },
        { table: 'sessions', row: after },
      ),
    )
    assert.deepEqual(await found(store, after), some(after))
  })

  check('a refused row of a user erases no label', async (store) => {
    const { ada, sessions } = await withLabels(store)
    const refused = await store.commit(
      writing(
        { table: 'users', row: { ...ada, passwordVersion: 8, version: 2 } },
        { table: 'sessions', row: { ...sessions.kept, version: 7 } },
      ),
    )()
    assert.deepEqual(refused, { _tag: 'Left', left: { _tag: 'Conflict' } })
    for (const session of sessions.ended) assert.deepEqual(await found(store, session), some(session))
  })
}

/** A user, and labelled sessions with other password versions, also of another user. */
const withLabels = async (store: Store) => {
  const [ada, bob] = [aUser({ passwordVersion: 7 }), aUser()]
  const of = (user: User, passwordVersion: number) =>
    aSession({ userId: user.id, passwordVersion, label: some(`browser ${passwordVersion}`) })
  const sessions = { ended: [of(ada, 6), of(ada, 7)], kept: of(ada, 8), ofAnother: of(bob, 1) }
  const rows = [...sessions.ended, sessions.kept, sessions.ofAnother].map(
    (row) => ({ table: 'sessions', row }) as const,
  )
  await commitAll(store, change(registered(ada)), change(registered(bob)), writing(...rows))
  return { ada, sessions }
}

/** A change that writes these rows, with any event. */
const writing = (...rows: ReadonlyArray<Row>) => ({ ...change(issuedToken()), rows })

const found = async (store: Store, { id }: Session): Promise<Option<Session>> => {
  const facts = await ok(store.findSession(id))
  return isSome(facts) ? some(facts.value.session) : none
}
