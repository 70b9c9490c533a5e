import { expect } from 'chai'
import { isRight, right } from 'fp-ts/lib/Either.js'
import { memoryStore } from '../../adapters/stores/memory/store.ts'
import { type Checked, checkConflicts, type Found } from '../../adapters/stores/postgres/conflicts.ts'
import {
  type Change,
  perTable,
  type Row,
  type Store,
  TABLES,
  type Table,
} from '../../application/ports/store.ts'
import { emailKey } from '../../domain/user.ts'
import { type Step, taken } from '../contracts/steps.ts'
import { succeed } from '../support/outcome.ts'
import { wholeLog } from '../testkit/outcome.ts'

/** Checks a batch for conflicts, and compares the result with a memory store that commits the same changes one by one. */
export const asOneByOne = async (history: ReadonlyArray<Step>, batch: ReadonlyArray<Step>) => {
  const model = memoryStore()
  for (const step of history) await (await taken(step, model))(model)
  const before = await everythingIn(model)
  const changes: Array<Change> = []
  const committed: Array<string> = []
  for (const step of batch) {
    for (const each of await changesOf(step, model)) {
      changes.push(each)
      const outcome = await model.commit(each)()
      committed.push(isRight(outcome) ? 'success' : outcome.left._tag)
    }
  }
  const checked = checkConflicts(changes, foundFor(changes, before))
  await expectSame(checked, { before, committed, after: model })
  return { changes, checked }
}

const expectSame = async (
  { outcomes, changes, rows }: Checked,
  {
    before,
    committed,
    after,
  }: Readonly<{ before: Everything; committed: ReadonlyArray<string>; after: Store }>,
): Promise<void> => {
  expect(outcomes.map(nameOf)).to.deep.equal(committed)
  expect(changes).to.have.length(outcomes.filter((outcome) => outcome === 'written').length)
  const expected = await everythingIn(after)
  expect([...before.eventIds, ...changes.flatMap(({ events }) => events.map(({ id }) => id))]).to.deep.equal(
    expected.eventIds,
  )
  for (const table of TABLES) {
    const { inserted, updated } = rows[table]
    const places = [...inserted, ...updated].map(({ row }) => row.id)
    expect(new Set(places).size, 'each once').to.equal(places.length)
    for (const { row } of inserted) expect(before.tables[table].has(row.id)).to.equal(false)
    for (const { row } of updated) expect(before.tables[table].has(row.id)).to.equal(true)
    const written = [...inserted, ...updated].map(({ row }) => [row.id, row] as const)
    expect(new Map<string, Row['row']>([...before.tables[table], ...written])).to.deep.equal(
      expected.tables[table],
    )
  }
}

const nameOf = (outcome: Checked['outcomes'][number]): string => {
  if (typeof outcome === 'object') return outcome._tag
  return outcome === 'duplicate event' ? 'StoreUnavailable' : 'success'
}

/** The changes of a step at this moment, not committed. */
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

const everythingIn = async (store: Store): Promise<Everything> => {
  const rowsOf = async (table: Table) =>
    new Map<string, Row['row']>(
      (await succeed(store.listRows({ table, after: '', limit: 1_000 }))).map((row) => [row.id, row]),
    )
  const found = new Map(await Promise.all(TABLES.map(async (table) => [table, await rowsOf(table)] as const)))
  return {
    eventIds: (await wholeLog(store)).map(({ id }) => id),
    tables: perTable((table) => found.get(table) ?? new Map()),
  }
}

/** The rows that the database query would return: only those that the changes mention. */
const foundFor = (changes: ReadonlyArray<Change>, { eventIds, tables }: Everything): Found => {
  const events = new Set(changes.flatMap((each) => each.events.map(({ id }) => id)))
  const rows = changes.flatMap((each) => each.rows)
  const compared = changes.flatMap((each) => each.compared)
  const emails = new Set(rows.flatMap((each) => (each.table === 'users' ? [emailKey(each.row.email)] : [])))
  const isSpokenOf = (table: Table, row: Row['row']) =>
    rows.some((each) => each.table === table && each.row.id === row.id) ||
    compared.some((each) => each.table === table && each.id === row.id) ||
    (table === 'users' && 'email' in row && emails.has(emailKey(row.email)))
  const versionsIn = (table: Table) =>
    new Map(
      [...tables[table].values()]
        .filter((row) => isSpokenOf(table, row))
        .map(({ id, version }) => [id, version] as const),
    )
  return {
    eventIds: new Set(eventIds.filter((id) => events.has(id))),
    versions: perTable(versionsIn),
    emailKeys: new Map(
      [...tables.users.values()].flatMap((row) =>
        'email' in row && isSpokenOf('users', row) ? [[row.id, emailKey(row.email)] as const] : [],
      ),
    ),
    mails: new Map(),
  }
}
