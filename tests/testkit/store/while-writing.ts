import assert from 'node:assert/strict'
import type { Change, Store, Table } from '../../../application/ports/store.ts'
import type { Session } from '../../../domain/session.ts'
import type { User } from '../../../domain/user.ts'
import {
  aSession,
  aUser,
  change,
  changedPassword,
  createdKey,
  registered,
  registeredApplication,
  revokedToken,
  signedIn,
  startedRecovery,
} from '../builders.ts'
import { commitAll, ok, wholeLog } from '../outcome.ts'
import type { Check, SharedCheck } from '../store.ts'

/** A change shows whole or not at all, also before its commit resolves. */
export const whileWritingCases = (check: Check): void => {
  check('each read shows all of a change or nothing of it while it is written', (store) =>
    showsWholeOrNot({ writer: store, reader: store }),
  )

  check('a session and its user are of one moment during any write', (store) =>
    sessionAndUserAgree({ writer: store, reader: store }),
  )
}

/** The same, for one handle that reads what another writes. */
export const whileAnotherWritesCases = (check: SharedCheck): void => {
  check('each read shows all of a change or nothing of it while another handle writes it', (one, other) =>
    showsWholeOrNot({ writer: one, reader: other }),
  )

  check('a session and its user are of one moment, whichever handle is writing', (one, other) =>
    sessionAndUserAgree({ writer: one, reader: other }),
  )
}

type Sides = Readonly<{ writer: Store; reader: Store }>

/** A part of the store, and how much of a change one read of it shows: so many of so many. */
type Part = Readonly<{ name: string; of: number; shown: () => Promise<number> }>

const ROUNDS = 10

/** A store in memory may write a part of a change between two turns of the event loop: one look in each would miss that. */
const LOOKS_IN_A_TURN = 10

const showsWholeOrNot = async ({ writer, reader }: Sides): Promise<void> => {
  let [user, session] = await aUserWithSession(writer)
  for (let round = 0; round < ROUNDS; round += 1) {
    const made = change(
      changedPassword(user, session),
      registeredApplication(),
      registered(),
      createdKey(),
      revokedToken(),
      startedRecovery(),
      startedRecovery(),
      registered(),
      registeredApplication(),
    )
    const parts = partsOf(reader, made, (await wholeLog(reader)).length)
    let isKnown = false // whether a read has shown the change: then each read that begins later shows it
    const look = async ({ name, of, shown }: Part): Promise<void> => {
      const mustBeThere = isKnown
      const count = await shown()
      if (mustBeThere || count > 0) assert.equal(count, of, `how much of a change ${name} shows`)
      isKnown ||= count > 0
    }
    await meanwhile(
      () => ok(writer.commit(made)),
      parts.map((part) => () => look(part)),
    )
    ;[user, session] = passwordChanged(user, session)
  }
}

const sessionAndUserAgree = async ({ writer, reader }: Sides): Promise<void> => {
  let [user, session] = await aUserWithSession(writer)
  const look = async (): Promise<void> => {
    const found = await ok(reader.findSession(session.id))
    assert.ok(found._tag === 'Some')
    assert.equal(found.value.session.passwordVersion, found.value.user.passwordVersion)
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    await meanwhile(() => ok(writer.commit(change(changedPassword(user, session)))), [look, look])
    ;[user, session] = passwordChanged(user, session)
  }
}

/**
 * Makes each of these looks again and again, from before the work begins until it is done and once more. It makes them side by
 * side, so that each comes often, however long one takes.
 */
const meanwhile = async (
  work: () => Promise<void>,
  looks: ReadonlyArray<() => Promise<void>>,
): Promise<void> => {
  let isOver = false
  const looking = looks.map(async (look) => {
    while (!isOver) {
      let isSameTurn = true
      const turn = new Promise<void>((resolve) =>
        setImmediate(() => {
          isSameTurn = false
          resolve()
        }),
      )
      for (let count = 0; count < LOOKS_IN_A_TURN && isSameTurn; count += 1) await look()
      await turn // a store that answers at once would never let the work go on
    }
    await look()
  })
  const done = work().finally(() => {
    isOver = true
  })
  const outcomes = await Promise.allSettled([done, ...looking])
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

const partsOf = (store: Store, { events, rows }: Change, before: number): ReadonlyArray<Part> => {
  const tables = [...new Set(rows.map(({ table }) => table))]
  return [
    {
      name: 'the log',
      of: events.length,
      shown: async () => (await ok(store.readEvents({ after: before, limit: 100 }))).length,
    },
    ...tables.map((table): Part => {
      const written = rows.filter((row) => row.table === table).map(({ row }) => row)
      return {
        name: `the table ${table}`,
        of: written.length,
        shown: async () => {
          const stored = new Map((await everyRowOf(store, table)).map((row) => [row.id, row.version]))
          return written.filter(({ id, version }) => stored.get(id) === version).length
        },
      }
    }),
  ]
}

const everyRowOf = (store: Store, table: Table) => ok(store.listRows({ table, after: '', limit: 1_000 }))

const aUserWithSession = async (store: Store): Promise<[User, Session]> => {
  const user = aUser()
  const session = aSession({ userId: user.id })
  await commitAll(store, change(registered(user), signedIn(session)))
  return [user, session]
}

/** Both as the change of the password has left them. */
const passwordChanged = (user: User, session: Session): [User, Session] => {
  const passwordVersion = user.passwordVersion + 1
  return [
    { ...user, passwordVersion, version: user.version + 1 },
    { ...session, passwordVersion, version: session.version + 1 },
  ]
}
