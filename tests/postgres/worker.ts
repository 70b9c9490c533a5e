import { isRight } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { connectionsTo } from '../../adapters/stores/postgres/connections.ts'
import { postgresFailureCounts } from '../../adapters/stores/postgres/failure-counts.ts'
import { postgresProtocolState } from '../../adapters/stores/postgres/protocol-state.ts'
import { postgresStore } from '../../adapters/stores/postgres/store.ts'
import type { Change, Store } from '../../application/ports/store.ts'
import type { Fact } from '../../application/recording/facts.ts'
import type { Session } from '../../domain/session.ts'
import type { User } from '../../domain/user.ts'
import { type Chance, chance } from '../faults/seed.ts'
import { countOne } from '../testkit/failure-counts/steps.ts'
import { ok } from '../testkit/outcome.ts'
import { anApplication, aSession, aUser, changedPassword, changeOf, newId, said } from './changes.ts'

/** The orders of another process for a database. */
export type Order =
  /** Takes this many steps in this many concurrent lanes, in a race with other processes. */
  | Readonly<{ act: 'write'; url: string; lanes: number; steps: number; seed: number; among: Shared }>
  /** Reads the log as it grows, up to the number of entries in the order to stop. */
  | Readonly<{ act: 'follow'; url: string; seed: number }>
  | Readonly<{ act: 'stop'; at: number }>
  /** Counts this many failures under one key, a few at once. */
  | Readonly<{ act: 'count'; url: string; key: string; failures: number }>
  /** Consumes these refresh tokens, all at once. */
  | Readonly<{ act: 'consume'; url: string; ids: ReadonlyArray<string> }>

/** The records that all writers use. */
export type Shared = Readonly<{
  sessions: ReadonlyArray<string>
  emails: ReadonlyArray<string>
  /** All processes commit all of these changes. Each must be in the log once. */
  changes: ReadonlyArray<Change>
}>

export type Report =
  | Readonly<{ what: 'ready' | 'following' }>
  | Readonly<{ what: 'failed'; because: string }>
  | Readonly<{ what: 'written'; outcomes: ReadonlyArray<Committed> }>
  /** Ids of the entries in the order of their positions. */
  | Readonly<{ what: 'followed'; ids: ReadonlyArray<string>; problems: ReadonlyArray<string> }>
  /** The previous count that each counted failure found. */
  | Readonly<{ what: 'counted'; before: ReadonlyArray<number> }>
  /** Ids of the tokens that this process has consumed. */
  | Readonly<{ what: 'consumed'; ids: ReadonlyArray<string> }>

/** A change by the ids of its events, with its outcome. */
export type Committed = Readonly<{ events: ReadonlyArray<string>; outcome: string }>

const report = (said: Report): void => {
  process.send?.(said)
}

type To<Act> = Extract<Order, { act: Act }>

const write = async ({ url, lanes, steps, seed, among }: To<'write'>): Promise<void> => {
  const store = postgresStore(connectionsTo(url, 6))
  const dice = chance(seed)
  const outcomes: Array<Committed> = []
  const commit = async (change: Change): Promise<void> => {
    const outcome = await store.commit(change)()
    const reason = isRight(outcome) ? '' : 'reason' in outcome.left ? `: ${outcome.left.reason}` : ''
    outcomes.push({
      events: change.events.map(({ id }) => id),
      outcome: isRight(outcome) ? 'success' : `${outcome.left._tag}${reason}`,
    })
  }
  const lane = async (): Promise<void> => {
    for (let step = 0; step < steps; step += 1) await take(store, dice, among, commit)
  }
  const again = async (): Promise<void> => {
    for (const change of shuffled(dice, among.changes)) await commit(change)
  }
  await Promise.all([...Array.from({ length: lanes }, lane), again()])
  await store.close()
  report({ what: 'written', outcomes })
}

/** A typical operation of a service, mostly on records that others change at the same time. */
const take = async (
  store: Store,
  dice: Chance,
  { sessions, emails }: Shared,
  commit: (change: Change) => Promise<void>,
): Promise<void> => {
  const lot = dice.below(100)
  if (lot < 35) return commit(changeOf(said(), ...Array.from({ length: dice.below(3) }, said)))
  if (lot < 50) {
    const user = aUser()
    return commit(
      changeOf(
        { _tag: 'UserRegistered', user },
        { _tag: 'UserSignedIn', session: aSession({ userId: user.id }) },
      ),
    )
  }
  if (lot < 55) return commit(changeOf({ _tag: 'ApplicationRegistered', application: anApplication() }))
  if (lot < 75) {
    const found = await ok(store.findSession(dice.of(sessions) ?? ''))
    return isNone(found) ? undefined : commit(changeOf(deed(dice, found.value.user, found.value.session)))
  }
  if (lot < 90) return commit(await turn(store, dice.of(emails) ?? ''))
  const turns = shuffled(dice, emails).map((email) => turn(store, email))
  await Promise.all((await Promise.all(turns)).map(commit)) // several e-mails in one batch
}

const deed = (dice: Chance, user: User, session: Session): Fact => {
  const passwordRecord = `1$$${newId()}`
  const lot = dice.below(4)
  if (lot === 0) return changedPassword(user, session, passwordRecord)
  if (lot === 1) return { _tag: 'PasswordSet', user, password: { record: passwordRecord, scheme: 'tests' } }
  return { _tag: user.status === 'enabled' ? 'UserDisabled' : 'UserEnabled', user }
}

/** Takes a free e-mail, or removes the user who has it. */
const turn = async (store: Store, email: string): Promise<Change> => {
  const found = await ok(store.findUserByEmail(email))
  return changeOf(
    isNone(found)
      ? { _tag: 'UserRegistered', user: aUser({ email }) }
      : { _tag: 'UserRemoved', user: found.value, factors: [] },
  )
}

const shuffled = <A>(dice: Chance, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((one) => ({ one, lot: dice.below(1e6) }))
    .sort((left, right) => left.lot - right.lot)
    .map(({ one }) => one)

let stopAt = Number.POSITIVE_INFINITY

/** Checks that the positions of each page follow the previous page, and that earlier entries are unchanged. */
const follow = async ({ url, seed }: To<'follow'>): Promise<void> => {
  const store = postgresStore(connectionsTo(url, 2))
  const dice = chance(seed)
  const ids: Array<string> = []
  const problems: Array<string> = []
  report({ what: 'following' })
  while (ids.length < stopAt && problems.length === 0) {
    const after = dice.below(4) === 0 ? dice.below(ids.length + 1) : ids.length
    const limit = 1 + dice.below(60)
    const page = await ok(store.readEvents({ after, limit }))
    const known = ids.slice(after, after + limit)
    if (page.length < known.length) problems.push(`${known.length} were after ${after}, now ${page.length}`)
    for (const [index, { position, id }] of page.entries()) {
      const place = after + index
      if (position !== place + 1) problems.push(`${position} comes after ${place}`)
      if (ids[place] !== undefined && ids[place] !== id) problems.push(`${id} came late to ${position}`)
      ids[place] = id
    }
  }
  await store.close()
  report({ what: 'followed', ids, problems })
}

const count = async ({ url, key, failures }: To<'count'>): Promise<void> => {
  const connections = connectionsTo(url, 2)
  const counts = postgresFailureCounts(connections, Date.now)
  const before: Array<number> = []
  const lane = async (): Promise<void> => {
    for (let each = 0; each < failures / LANES; each += 1) before.push(await ok(countOne(counts, key)))
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  await counts.close()
  await connections.close()
  report({ what: 'counted', before })
}

const consume = async ({ url, ids }: To<'consume'>): Promise<void> => {
  const connections = connectionsTo(url, 4)
  const state = postgresProtocolState(connections)
  const outcomes = await Promise.all(ids.map((id) => ok(state.consume('refresh_token', id, 0))))
  await state.close()
  await connections.close()
  report({ what: 'consumed', ids: ids.filter((_, index) => outcomes[index]) })
}

const LANES = 4

const obey = async (order: Order): Promise<void> => {
  switch (order.act) {
    case 'write':
      return write(order)
    case 'follow':
      return follow(order)
    case 'count':
      return count(order)
    case 'consume':
      return consume(order)
    case 'stop':
      stopAt = order.at
  }
}

process.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => report({ what: 'failed', because: String(error) }))
})
report({ what: 'ready' })
