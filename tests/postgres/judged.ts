import { expect } from 'chai'
import { isRight, right } from 'fp-ts/lib/Either.js'
import { memoryStore } from '../../adapters/driven/memory/store.ts'
import { type Found, type Judged, judge } from '../../adapters/driven/postgres/conflicts.ts'
import type { Change, Row, Store, Table } from '../../application/ports/store.ts'
import { emailKey } from '../../domain/user.ts'
import { type Step, taken } from '../contracts/steps.ts'
import { succeed } from '../support/outcome.ts'
import { wholeLog } from '../testkit/outcome.ts'

/** Judges a batch, and checks it against a store in memory to which the same was committed one by one. */
export const asOneByOne = async (history: ReadonlyArray<Step>, batch: ReadonlyArray<Step>) => {
  const model = memoryStore()
  for (const step of history) await (await taken(step, model))(model)
  const before = await everythingIn(model)
  const changes: Array<Change> = []
  const outcomes: Array<string> = []
  for (const step of batch) {
    for (const each of await changesOf(step, model)) {
      changes.push(each)
      const outcome = await model.commit(each)()
      outcomes.push(isRight(outcome) ? 'success' : outcome.left._tag)
    }
  }
  const judged = judge(changes, foundFor(changes, before))
  await expectSame(judged, before, outcomes, model)
  return { changes, judged }
}

/** The same for changes that are there already, on a store with something in it. */
export const judgedOn = async (model: Store, changes: ReadonlyArray<Change>): Promise<Judged> => {
  const before = await everythingIn(model)
  const judged = judge(changes, foundFor(changes, before))
  const outcomes: Array<string> = []
  for (const each of changes) {
    const outcome = await model.commit(each)()
    outcomes.push(isRight(outcome) ? 'success' : outcome.left._tag)
  }
  await expectSame(judged, before, outcomes, model)
  return judged
}

const expectSame = async (
  { judgements, changes, rows }: Judged,
  before: Everything,
  outcomes: ReadonlyArray<string>,
  after: Store,
): Promise<void> => {
  expect(judgements.map(outcomeOf)).to.deep.equal(outcomes)
  expect(changes).to.have.length(judgements.filter((judgement) => judgement === 'written').length)
  const expected = await everythingIn(after)
  expect([...before.eventIds, ...changes.flatMap(({ events }) => events.map(({ id }) => id))]).to.deep.equal(
    expected.eventIds,
  )
  for (const table of TABLES) {
    const { made, overwritten } = rows[table]
    const places = [...made, ...overwritten].map(({ row }) => row.id)
    expect(new Set(places).size, 'each once').to.equal(places.length)
    for (const { row } of made) expect(before.tables[table].has(row.id)).to.equal(false)
    for (const { row } of overwritten) expect(before.tables[table].has(row.id)).to.equal(true)
    const written = [...made, ...overwritten].map(({ row }) => [row.id, row] as const)
    expect(new Map<string, Row['row']>([...before.tables[table], ...written])).to.deep.equal(
      expected.tables[table],
    )
  }
}

const outcomeOf = (judgement: Judged['judgements'][number]): string => {
  if (typeof judgement === 'object') return judgement._tag
  return judgement === 'out of order' ? 'StoreUnavailable' : 'success'
}

/** The changes of a step as they are now, committed to nobody. */
const changesOf = async (step: Step, model: Store): Promise<ReadonlyArray<Change>> => {
  const changes: Array<Change> = []
  if (!('commits' in step)) return changes
  const noting: Store = {
    ...model,
    commit: (each) => async () => {
      changes.push(each)
      return right(undefined)
    },
  }
  await (await taken(step, model))(noting)
  return changes
}

type Everything = Readonly<{
  eventIds: ReadonlyArray<string>
  tables: Readonly<Record<Table, ReadonlyMap<string, Row['row']>>>
}>

const TABLES = ['applications', 'users', 'sessions', 'keys', 'revoked_tokens'] as const

const everythingIn = async (store: Store): Promise<Everything> => {
  const rowsOf = async (table: Table) =>
    new Map<string, Row['row']>(
      (await succeed(store.listRows({ table, after: '', limit: 1_000 }))).map((row) => [row.id, row]),
    )
  return {
    eventIds: (await wholeLog(store)).map(({ id }) => id),
    tables: {
      applications: await rowsOf('applications'),
      users: await rowsOf('users'),
      sessions: await rowsOf('sessions'),
      keys: await rowsOf('keys'),
      revoked_tokens: await rowsOf('revoked_tokens'),
    },
  }
}

/** What the database would be asked for: only what the changes speak of. */
const foundFor = (changes: ReadonlyArray<Change>, { eventIds, tables }: Everything): Found => {
  const events = new Set(changes.flatMap((each) => each.events.map(({ id }) => id)))
  const rows = changes.flatMap((each) => each.rows)
  const emails = new Set(rows.flatMap((each) => (each.table === 'users' ? [emailKey(each.row.email)] : [])))
  const isSpokenOf = (table: Table, row: Row['row']) =>
    rows.some((each) => each.table === table && each.row.id === row.id) ||
    ('email' in row && emails.has(emailKey(row.email)))
  const versionsIn = (table: Table) =>
    new Map(
      [...tables[table].values()]
        .filter((row) => isSpokenOf(table, row))
        .map(({ id, version }) => [id, version] as const),
    )
  return {
    eventIds: new Set(eventIds.filter((id) => events.has(id))),
    versions: {
      applications: versionsIn('applications'),
      users: versionsIn('users'),
      sessions: versionsIn('sessions'),
      keys: versionsIn('keys'),
      revoked_tokens: versionsIn('revoked_tokens'),
    },
    emailKeys: new Map(
      [...tables.users.values()].flatMap((row) =>
        'email' in row && isSpokenOf('users', row) ? [[row.id, emailKey(row.email)] as const] : [],
      ),
    ),
  }
}
