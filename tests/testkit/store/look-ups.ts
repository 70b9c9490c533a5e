import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import type { Store } from '../../../application/ports/store.ts'
import {
  aFactor,
  anApplication,
  aOneTimeToken,
  aRevokedToken,
  aSession,
  aUser,
  change,
  registered,
  registeredApplication,
  revokedToken,
  startedRecovery,
} from '../builders.ts'
import { commitAll, ok } from '../outcome.ts'
import type { Check } from '../store.ts'
import { OBJECT_READS } from './reads.ts'
import { writing } from './tables.ts'

/**
 * A look-up may be asked with any string, because it may come from a client. It finds nothing for a text that no row has.
 *
 * Each case is about one method and begins with its name.
 */
export const lookUpCases = (check: Check): void => {
  for (const [method, read] of OBJECT_READS) {
    check(`${method} finds nothing in a new store`, async (store) => {
      const nothing = method === 'findKnownUsers' ? { emailKeys: [], ids: [] } : []
      const isLookUp = method.startsWith('find') && method !== 'findKnownUsers'
      assert.deepEqual(await read(store), isLookUp ? none : nothing)
    })
  }

  for (const [method, { ask, nothing, found }] of Object.entries(LOOK_UPS)) {
    for (const [what, stored, absent] of ABSENT) {
      check(`${method} with ${what} finds nothing, and does no harm`, async (store) => {
        const rows = rowsUnder(stored)
        await commitAll(store, ...changesOf(rows))
        for (const text of absent)
          assert.deepEqual(await ask(store, text, stored), nothing(rows), JSON.stringify(text.slice(0, 99)))
        assert.deepEqual(await ask(store, stored, stored), found(rows))
      })
    }
  }
}

/** What is asked, what stands in the store that a careless look-up might take for it, and texts that do not. */
const ABSENT: ReadonlyArray<readonly [what: string, stored: string, absent: ReadonlyArray<string>]> = [
  ['an unknown text', 'x@b.example', ['nobody@b.example', 'x@b', 'xx@b.example', '%', '_@b.example']],
  ['U+0000', 'a@b.example', ['\0', 'a@b.example\0', '\0a@b.example', 'a@b\0.example', 'a@b.example\0c']],
  ['a lone surrogate', 'a\ufffd@b.example', ['\ud800', '\udfff', 'a\ud800@b.example', 'a\udc00@b.example']],
  ['a megabyte', 'x@b.example', ['x'.repeat(2 ** 20)]],
  ['nothing', 'x@b.example', ['']],
]

/** Rows that have a text wherever a look-up can ask for it. The two users are different. */
const rowsUnder = (text: string) => {
  const user = aUser({ email: text })
  const application = anApplication({ id: text })
  return {
    user,
    namesake: aUser({ id: text }),
    application,
    session: aSession({ id: text, userId: user.id, applicationId: text }),
    another: aSession({ userId: text, applicationId: text }),
    revocation: aRevokedToken({ id: text, applicationId: text }),
    factor: aFactor({ id: text, userId: user.id }),
    anotherFactor: aFactor({ userId: text }),
    token: aOneTimeToken({ digest: text, userId: user.id, applicationId: text }),
  }
}

type Rows = ReturnType<typeof rowsUnder>

const changesOf = ({ user, namesake, application, session, another, revocation, token, ...rows }: Rows) => [
  change(registered(user), registeredApplication(application)),
  change(revokedToken(revocation), registered(namesake), startedRecovery(token)),
  writing({ table: 'sessions', row: session }, { table: 'sessions', row: another }),
  writing({ table: 'factors', row: rows.factor }, { table: 'factors', row: rows.anotherFactor }),
]

type LookUp = Extract<keyof Store, `find${string}`> | 'listSessions' | 'listFactors'

/** How each look-up is asked for a text, what it answers if no row has it, and what if the rows have it. */
const LOOK_UPS: Readonly<
  Record<
    LookUp,
    Readonly<{
      ask: (store: Store, text: string, stored: string) => Promise<unknown>
      nothing: (rows: Rows) => unknown
      found: (rows: Rows) => unknown
    }>
  >
> = {
  findApplication: {
    ask: (store, text) => ok(store.findApplication(text)),
    nothing: () => none,
    found: ({ application }) => some(application),
  },
  findUserByEmail: {
    ask: (store, text) => ok(store.findUserByEmail(text)),
    nothing: () => none,
    found: ({ user }) => some(user),
  },
  findUser: {
    ask: (store, text) => ok(store.findUser(text)),
    nothing: () => none,
    found: ({ namesake }) => some(namesake),
  },
  findKnownUsers: {
    ask: (store, text, stored) =>
      ok(store.findKnownUsers({ emailKeys: [text, stored], ids: [text, stored] })),
    nothing: ({ user, namesake }) => ({ emailKeys: [user.email], ids: [namesake.id] }),
    found: ({ user: { email }, namesake: { id } }) => ({ emailKeys: [email, email], ids: [id, id] }),
  },
  findOneTimeToken: {
    ask: (store, text) => ok(store.findOneTimeToken(text)),
    nothing: () => none,
    found: ({ token, user, application }) => some({ token, user, application }),
  },
  findSession: {
    ask: (store, text) => ok(store.findSession(text)),
    nothing: () => none,
    found: ({ session, user, application }) => some({ session, user, application: some(application) }),
  },
  findTokenHolder: {
    ask: async (store, text, stored) => [
      await ok(store.findTokenHolder(text, stored)),
      await ok(store.findTokenHolder(stored, text)),
    ],
    nothing: ({ application }) => [none, some({ application, revocation: none })],
    found: ({ application, revocation }) =>
      Array(2).fill(some({ application, revocation: some(revocation) })),
  },
  listSessions: {
    ask: (store, userId) =>
      ok(
        store.listSessions({
          userId,
          passwordVersion: 1,
          sessionsVersion: 1,
          expiresAfterSeconds: 0,
          skip: 0,
          limit: 10,
        }),
      ),
    nothing: () => [],
    found: ({ another }) => [another],
  },
  listFactors: {
    ask: (store, userId) => ok(store.listFactors(userId)),
    nothing: () => [],
    found: ({ anotherFactor }) => [anotherFactor],
  },
  findFactor: {
    ask: (store, text) => ok(store.findFactor(text)),
    nothing: () => none,
    found: ({ factor, user }) => some({ factor, user }),
  },
}
