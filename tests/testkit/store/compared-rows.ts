import assert from 'node:assert/strict'
import { isRight } from 'fp-ts/lib/Either.js'
import {
  type Change,
  type ComparedRow,
  type Row,
  type Store,
  TABLES,
  type Table,
} from '../../../application/ports/store.ts'
import { aUser, change, issuedToken, registered } from '../builders.ts'
import { commitAll, ok, refused, tally, wholeLog } from '../outcome.ts'
import type { Check, SharedCheck } from '../store.ts'
import { newRow, writing } from './tables.ts'

/** A change depends on rows that it compares and does not write. */
export const comparedRowCases = (check: Check): void => {
  for (const table of TABLES) {
    check(`a change whose compared row has another version conflicts and writes nothing: ${table}`, (store) =>
      conflicts(store, store, table),
    )

    check(`a change whose compared row is missing conflicts and writes nothing: ${table}`, async (store) => {
      const made = comparing(newRow(table))
      await refused(store.commit({ ...made, rows: [newRow('users')] }), { _tag: 'Conflict' })
      await refused(store.commit(made), { _tag: 'Conflict' })
      assert.deepEqual(await wholeLog(store), [])
      assert.deepEqual(await ok(store.listRows({ table: 'users', after: '', limit: 9 })), [])
    })

    check(`a change whose compared row is as read is written, and the row stays: ${table}`, async (store) => {
      const row = newRow(table)
      const made = change(registered())
      await commitAll(store, writing(row))
      await commitAll(store, { ...made, compared: [versionOf(row)] }, comparing(row))
      assert.equal((await wholeLog(store)).length, 3)
      const rows = await ok(store.listRows({ table, after: '', limit: 9 }))
      assert.deepEqual(
        rows.filter(({ id }) => id === row.row.id),
        [row.row],
      )
    })

    check(`a comparison beside a write of its row has one order or the other: ${table}`, (store) =>
      eitherOrder([store], table),
    )
  }

  check('each compared row counts, whichever comes first', async (store) => {
    const [read, written] = [newRow('applications'), newRow('users')]
    await commitAll(store, writing(read), writing(written), writing(next(written)))
    for (const rows of [
      [read, written],
      [written, read],
    ])
      await refused(store.commit(comparing(...rows)), { _tag: 'Conflict' })
    await commitAll(store, comparing(read, next(written)))
  })

  check('a compared row is compared with the state before the change', async (store) => {
    const row = newRow('applications')
    await commitAll(store, writing(row))
    const [early, late] = [row, next(row)].map((compared) => ({ ...comparing(compared), rows: [next(row)] }))
    assert.ok(early !== undefined && late !== undefined)
    await refused(store.commit(late), { _tag: 'Conflict' })
    await commitAll(store, early)
  })

  check('a row that the change itself creates is missing when it is compared', async (store) => {
    const row = newRow('applications')
    await refused(store.commit({ ...comparing(row), rows: [row] }), { _tag: 'Conflict' })
  })

  check('a change committed again succeeds, although its compared row has changed since', async (store) => {
    const row = newRow('applications')
    const [plain, withRows] = [comparing(row), { ...comparing(row), rows: [newRow('users')] }]
    await commitAll(store, writing(row), plain, withRows, writing(next(row)))
    const before = await wholeLog(store)
    await commitAll(store, plain, withRows)
    assert.deepEqual(await wholeLog(store), before)
  })

  check('twenty changes that compare one row at once are all written', (store) => allCompare([store]))

  for (const [where, first, second] of SKEWED)
    check(`of two changes at once that compare what the other writes, one is written: ${where}`, (store) =>
      oneOfTwo([store], first, second),
    )
}

/** The same, for handles of several processes. */
export const sharedComparedRowCases = (check: SharedCheck): void => {
  for (const table of TABLES) {
    check(
      `a change whose compared row was written through another handle conflicts and writes nothing: ${table}`,
      (one, other) => conflicts(one, other, table),
    )

    check(
      `a comparison beside a write of its row through another handle has one order or the other: ${table}`,
      (...handles) => eitherOrder(handles, table),
    )
  }

  check('twenty changes through several handles that compare one row at once are all written', (...handles) =>
    allCompare(handles),
  )

  for (const [where, first, second] of SKEWED)
    check(
      `of two changes at once through several handles that compare what the other writes, one is written: ${where}`,
      (...handles) => oneOfTwo(handles, first, second),
    )
}

/** One handle compares what it read before the other wrote. It also compares a version that was never reached. */
const conflicts = async (one: Store, other: Store, table: Table): Promise<void> => {
  const row = newRow(table)
  await commitAll(one, writing(row), comparing(row))
  await commitAll(other, writing(next(row)))
  const before = await wholeLog(one)
  for (const version of [row, next(next(row))]) {
    const made = comparing(version)
    const user = aUser()
    await refused(one.commit({ ...made, rows: [{ table: 'users', row: user }] }), { _tag: 'Conflict' })
    await refused(one.commit(made), { _tag: 'Conflict' })
    assert.equal((await ok(one.findUser(user.id)))._tag, 'None')
  }
  assert.deepEqual(await wholeLog(one), before)
  await commitAll(one, comparing(next(row)))
}

/** A comparison that succeeds is logged before the write. One that conflicts is not logged. */
const eitherOrder = async (handles: Handles, table: Table): Promise<void> => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const row = newRow(table)
    await commitAll(handles[0], writing(row))
    const write = writing(next(row))
    const comparisons = Array.from({ length: 4 }, () => comparing(row))
    const changes = comparisons.toSpliced(round % 4, 0, write)
    const outcomes = await Promise.all(
      changes.map((each, index) => handleFor(handles, round + index).commit(each)()),
    )
    const positions = new Map((await wholeLog(handles[0])).map(({ id, position }) => [id, position]))
    for (const [index, { id }] of changes.entries()) {
      const outcome = outcomes[index]
      assert.ok(outcome !== undefined)
      if (isRight(outcome)) assert.ok(Number(positions.get(id)) <= Number(positions.get(write.id)), id)
      else assert.deepEqual([id === write.id, outcome.left], [false, { _tag: 'Conflict' }])
      assert.equal(positions.has(id), isRight(outcome))
    }
  }
}

const allCompare = async (handles: Handles): Promise<void> => {
  const row = newRow('applications')
  await commitAll(handles[0], writing(row))
  const changes = Array.from({ length: 20 }, (_, index) => ({
    ...comparing(row),
    rows: index % 2 === 0 ? [newRow('users')] : [],
  }))
  const outcomes = await Promise.all(changes.map((each, index) => handleFor(handles, index).commit(each)()))
  assert.deepEqual(tally(outcomes), { success: 20 })
}

/** Neither can be written behind the other: each would have read what the other has changed. */
const oneOfTwo = async (handles: Handles, first: Table, second: Table): Promise<void> => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, other] = [newRow(first), newRow(second)]
    await commitAll(handles[0], writing(one, other))
    const changes = [
      { ...comparing(one), rows: [next(other)] },
      { ...comparing(other), rows: [next(one)] },
    ]
    const outcomes = await Promise.all(
      changes.map((each, index) => handleFor(handles, round + index).commit(each)()),
    )
    assert.deepEqual(tally(outcomes), { success: 1, Conflict: 1 })
  }
}

type Handles = readonly [Store, ...ReadonlyArray<Store>]

const handleFor = (handles: Handles, index: number): Store => handles[index % handles.length] ?? handles[0]

const ROUNDS = 8

/** Tables of the two rows. Stores that lock tables or rows in an order could wait for each other. */
const SKEWED = [
  ['one table', 'applications', 'applications'],
  ['two tables', 'applications', 'users'],
] as const

const next = (row: Row): Row => ({ ...row, row: { ...row.row, version: row.row.version + 1 } }) as Row

const versionOf = ({ table, row: { id, version } }: Row): ComparedRow => ({ table, id, version })

/** A change that has read these rows. */
const comparing = (...rows: ReadonlyArray<Row>): Change => ({
  ...change(issuedToken()),
  compared: rows.map(versionOf),
})
