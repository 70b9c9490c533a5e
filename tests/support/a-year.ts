import { nodeDigests } from '../../adapters/node/environment.ts'
import type { Change, Row, Store } from '../../application/ports/store.ts'
import { EXPIRING_TABLES } from '../../application/ports/store.ts'
import { type Fact, toChange } from '../../application/recording/facts.ts'
import type { Session } from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import {
  anApplication,
  aRevokedToken,
  aSession,
  aUser,
  newId,
  removedUser,
  SCHEME,
} from '../testkit/builders.ts'
import { commitAll, ok } from '../testkit/outcome.ts'

export const A_DAY_MS = 24 * 3600 * 1000

/** How many days the history has. It ends now. */
export const DAYS = 400

/**
 * Fills a store with the history of a service, one change a day: users come, sign in and out, change their passwords and leave, and
 * applications get tokens. Sessions last for an hour to sixty days. Expired rows are deleted, as a running service does.
 *
 * @param onDay called after each day
 */
export const liveAYear = async (
  store: Store,
  now: number,
  onDay: (day: number) => Promise<void> = async () => {},
): Promise<void> => {
  const random = randomNumbers()
  const users: Array<User> = []
  const sessions = new Map<string, Session>()
  const application = anApplication({ name: 'shop' })

  const noteRows = (rows: ReadonlyArray<Row>): void => {
    for (const { table, row } of rows) {
      if (table === 'sessions') sessions.set(row.id, row)
      if (table !== 'users') continue
      const index = users.findIndex(({ id }) => id === row.id)
      users.splice(index < 0 ? users.length : index, 1, row)
    }
  }
  const one = <A>(all: ReadonlyArray<A>): A | undefined => all[random(all.length)]
  const enabled = (): User | undefined => one(users.filter(({ status }) => status === 'enabled'))

  for (let day = 0; day < DAYS; day += 1) {
    const atMilliseconds = now - (DAYS - day) * A_DAY_MS + random(A_DAY_MS / 2)
    const nowSeconds = Math.floor(atMilliseconds / 1000)
    const changes: Array<Change> = []
    const happen = (fact: Fact): void => {
      const made = toChange([fact], {
        actor: { kind: 'nobody' },
        requestId: undefined,
        atMilliseconds,
        uuid: newId,
        sha256: (text) => nodeDigests.sha256(text),
      })
      noteRows(made.rows)
      changes.push(made)
    }
    for (const [id, { expiresAtSeconds }] of sessions) if (expiresAtSeconds <= nowSeconds) sessions.delete(id)
    const live = () =>
      [...sessions.values()].filter(
        ({ signedOut, userId, passwordVersion }) =>
          !signedOut && users.some((user) => user.id === userId && user.passwordVersion === passwordVersion),
      )

    if (day === 0) happen({ _tag: 'ApplicationRegistered', application })
    for (let times = random(11); times >= 0; times -= 1) happen({ _tag: 'UserRegistered', user: aUser() })
    for (let times = 15 + random(10); times > 0; times -= 1) {
      const user = enabled()
      const hours = one([1, 1, 8, 24, 24, 60 * 24]) ?? 1
      if (user === undefined) continue
      const expiresAtSeconds = nowSeconds + hours * 3600
      const { passwordVersion } = user
      happen({
        _tag: 'UserSignedIn',
        session: aSession({ userId: user.id, passwordVersion, expiresAtSeconds }),
      })
    }
    for (let times = random(8); times > 0; times -= 1) {
      const session = one(live())
      if (session !== undefined) happen({ _tag: 'UserSignedOut', session })
    }
    for (let times = 10 + random(5); times > 0; times -= 1) {
      const tokenId = newId()
      const expiresAtSeconds = nowSeconds + (one([3600, 3600, 90 * 24 * 3600]) ?? 0)
      const issued = { applicationId: application.id, keyId: application.keyId, tokenId, expiresAtSeconds }
      happen({ _tag: 'ApplicationTokenIssued', ...issued })
      const token = aRevokedToken({ id: tokenId, applicationId: application.id, expiresAtSeconds })
      if (random(20) === 0) happen({ _tag: 'ApplicationTokenRevoked', token })
    }
    for (let times = random(6); times > 0; times -= 1)
      happen({ _tag: 'SignInRefused', userId: enabled()?.id, reason: 'wrong_password' })
    const changing = one(live())
    const changer = users.find(({ id }) => id === changing?.userId)
    if (changing !== undefined && changer !== undefined)
      happen({
        _tag: 'PasswordChanged',
        user: changer,
        session: changing,
        password: { record: `1$$${newId()}`, scheme: SCHEME },
      })
    const leaving = enabled()
    if (day % 9 === 8 && leaving !== undefined)
      happen(random(2) === 0 ? removedUser(leaving) : { _tag: 'UserDisabled', user: leaving })
    const ending = enabled()
    if (day % 7 === 6 && ending !== undefined) happen({ _tag: 'SessionsEnded', user: ending })

    const [first] = changes
    if (first === undefined) continue
    const events = changes.flatMap((change) => change.events)
    const rows = changes.flatMap((change) => change.rows)
    await commitAll(store, {
      id: first.id,
      events: [first.events[0], ...events.slice(1)],
      compared: [],
      rows,
    })
    await onDay(day)
  }
  for (const table of EXPIRING_TABLES) await deleteExpired(store, table, now)
}

const deleteExpired = async (
  store: Store,
  table: (typeof EXPIRING_TABLES)[number],
  now: number,
): Promise<void> => {
  const beforeSeconds = Math.floor((now - A_DAY_MS) / 1000)
  while ((await ok(store.deleteExpired({ table, beforeSeconds, limit: 1_000 }))) > 0);
}

/** The same numbers each time: each below a bound. */
const randomNumbers = () => {
  let state = 20_261_122
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}
