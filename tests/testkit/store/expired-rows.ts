import assert from 'node:assert/strict'
import { none, some } from 'fp-ts/lib/Option.js'
import {
  EXPIRING_TABLES,
  type ExpiredQuery,
  type Row,
  type RowOf,
  type Store,
  TABLES,
} from '../../../application/ports/store.ts'
import { aKey, anApplication, aOneTimeToken, aRevokedToken, aSession, aUser } from '../builders.ts'
import { commitAll, ok, refused, wholeLog } from '../outcome.ts'
import type { Check, SharedCheck } from '../store.ts'
import { expiringRow, newRow, writing } from './tables.ts'

/** Expired rows of a table are deleted in batches. */
export const expiredRowCases = (check: Check): void => {
  for (const table of EXPIRING_TABLES) {
    const made = (id: string, expiresAtSeconds: number) => expiringRow(table, id, expiresAtSeconds)
    const write = (store: Store, rows: Readonly<Record<string, number>>) =>
      commitAll(store, writing(...Object.entries(rows).map(([id, at]) => made(id, at))))
    const remaining = async (store: Store) =>
      (await ok(store.listRows({ table, after: '', limit: 1_000 }))).map(({ id }) => id)
    const remove = (store: Store, query: Partial<ExpiredQuery> = {}) =>
      ok(store.deleteExpired({ table, beforeSeconds: NOW, limit: 100, ...query }))

    check(`rows that expired before a second are deleted, and no others: ${table}`, async (store) => {
      await write(store, { a: NOW + 1, b: NOW - 1, c: NOW, d: 1 })
      assert.equal(await remove(store), 2)
      assert.deepEqual(await remaining(store), ['a', 'c'])
      assert.equal(await remove(store, { beforeSeconds: NOW + 1 }), 1)
      assert.equal(await remove(store, { beforeSeconds: NOW + 1 }), 0)
      assert.deepEqual(await remaining(store), ['a'])
    })

    check(
      `at most as many rows as the limit are deleted, those that expired first: ${table}`,
      async (store) => {
        await write(store, { a: 4, b: HUGE, c: 3, d: 2, e: 1 })
        for (const limit of [0, -1]) assert.equal(await remove(store, { limit }), 0, `limit ${limit}`)
        assert.deepEqual(await remaining(store), ['a', 'b', 'c', 'd', 'e'])
        assert.equal(await remove(store, { limit: 1 }), 1)
        assert.deepEqual(await remaining(store), ['a', 'b', 'c', 'd'])
        assert.equal(await remove(store, { limit: 2 }), 2)
        assert.deepEqual(await remaining(store), ['a', 'b'])
        assert.equal(await remove(store, { limit: HUGE }), 1)
        assert.deepEqual(await remaining(store), ['b'])
      },
    )

    check(`of rows that expired in the same second, the lowest ids go first: ${table}`, async (store) => {
      await write(store, Object.fromEntries([...IN_ORDER].reverse().map((id) => [id, 1])))
      for (let count = 1; count <= IN_ORDER.length; count += 1) {
        assert.equal(await remove(store, { limit: 1 }), 1)
        assert.deepEqual(await remaining(store), IN_ORDER.slice(count))
      }
    })

    check(`many rows that have not expired do not hide those behind them: ${table}`, async (store) => {
      const ids = (prefix: string, count: number) =>
        Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(3, '0')}`)
      const [live, expired, last] = [ids('a', 150), ids('b', 250), ids('c', 150)]
      const expiring = (all: ReadonlyArray<string>, at: (index: number) => number) =>
        Object.fromEntries(all.map((id, index) => [id, at(index)]))
      await write(store, {
        ...expiring(live, (index) => NOW + index),
        ...expiring(expired, (index) => NOW - 1 - index),
        ...expiring(last, () => HUGE),
      })
      for (const deleted of [100, 100, 50, 0]) assert.equal(await remove(store), deleted)
      assert.deepEqual(await remaining(store), [...live, ...last])
    })

    check(`a deletion touches neither other rows nor the log: ${table}`, async (store) => {
      await write(store, { a: 1, b: HUGE })
      await commitAll(store, writing(...OTHERS), writing(again(made('b', HUGE))))
      const rows = await everyRow(store)
      const before = { log: await wholeLog(store), epoch: await ok(store.readEpoch()) }
      assert.equal(await remove(store), 1)
      assert.deepEqual({ log: await wholeLog(store), epoch: await ok(store.readEpoch()) }, before)
      assert.deepEqual(
        await everyRow(store),
        rows.filter((row) => row.table !== table || row.row.id !== 'a'),
      )
    })

    check(`a deleted row can be created again, and not be changed: ${table}`, async (store) => {
      await write(store, { a: 1 })
      await remove(store)
      await refused(store.commit(writing(again(made('a', HUGE)))), { _tag: 'Conflict' })
      await write(store, { a: HUGE })
      await commitAll(store, writing(again(made('a', HUGE))))
      assert.deepEqual(await remaining(store), ['a'])
    })

    check(`a deletion that is asked for but not run deletes nothing: ${table}`, async (store) => {
      await write(store, { a: 1 })
      const task = store.deleteExpired({ table, beforeSeconds: NOW, limit: 1 })
      assert.deepEqual(await remaining(store), ['a'])
      assert.equal(await ok(task), 1)
    })

    check(`of deletions at once each row counts once: ${table}`, async (store) => {
      const ids = Array.from({ length: 40 }, (_, index) => `id-${String(index).padStart(2, '0')}`)
      await write(store, Object.fromEntries(ids.map((id) => [id, 1])))
      const batches = await Promise.all([1, 2, 3, 4].map(() => remove(store)))
      batches.push(await remove(store)) // each may have left what another was deleting
      assert.equal(
        batches.reduce((sum, deleted) => sum + deleted, 0),
        ids.length,
      )
      assert.deepEqual(await remaining(store), [])
    })

    check(`a read shows all rows of a batch or none while they are deleted: ${table}`, async (store) => {
      for (let round = 0; round < 5; round += 1) {
        await write(store, Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, 1])))
        const reads: Array<Promise<ReadonlyArray<string>>> = [remaining(store)]
        const removed = remove(store)
        for (let turn = 0; turn < 5; turn += 1) {
          reads.push(remaining(store))
          await new Promise(setImmediate)
        }
        await removed
        for (const ids of await Promise.all(reads)) assert.ok([0, 4].includes(ids.length), ids.join())
      }
    })

    check(`a deletion and a change of the same row do not harm each other: ${table}`, async (store) => {
      for (let round = 0; round < 10; round += 1) {
        await write(store, { gone: 1, stays: HUGE })
        const size = (await wholeLog(store)).length
        const changes = [again(made('gone', 1)), again(made('stays', HUGE))].map((row) =>
          store.commit(writing(row))(),
        )
        const [[gone, stays]] = await Promise.all([Promise.all(changes), remove(store)])
        assert.equal(stays?._tag, 'Right')
        if (gone?._tag === 'Left') assert.deepEqual(gone.left, { _tag: 'Conflict' })
        assert.equal((await wholeLog(store)).length, size + (gone?._tag === 'Left' ? 1 : 2))
        const rows = await ok(store.listRows({ table, after: '', limit: 10 }))
        assert.deepEqual(
          rows.filter(({ id }) => id === 'stays').map(({ version }) => version),
          [2],
        )
        assert.ok(rows.every(({ id, version }) => id !== 'gone' || (gone?._tag === 'Right' && version === 2)))
        await remove(store, { beforeSeconds: Number.MAX_SAFE_INTEGER })
        assert.deepEqual(await remaining(store), [])
      }
    })
  }

  check('a deleted row is found by no look-up', async (store) => {
    const [user, application] = [aUser(), anApplication()]
    const session = aSession({ userId: user.id, applicationId: application.id, expiresAtSeconds: 1 })
    const token = aOneTimeToken({ userId: user.id, applicationId: application.id, expiresAtSeconds: 1 })
    const revocation = aRevokedToken({ applicationId: application.id, expiresAtSeconds: 1 })
    await commitAll(
      store,
      writing(
        { table: 'users', row: user },
        { table: 'applications', row: application },
        { table: 'sessions', row: session },
        { table: 'one_time_tokens', row: token },
        { table: 'revoked_tokens', row: revocation },
      ),
    )
    for (const table of EXPIRING_TABLES)
      await ok(store.deleteExpired({ table, beforeSeconds: NOW, limit: 1 }))
    assert.deepEqual(await ok(store.findSession(session.id)), none)
    const sessions = {
      userId: user.id,
      passwordVersion: 1,
      sessionsVersion: 1,
      expiresAfterSeconds: 0,
      skip: 0,
      limit: 1,
    }
    assert.deepEqual(await ok(store.listSessions(sessions)), [])
    assert.deepEqual(await ok(store.findOneTimeToken(token.digest)), none)
    assert.deepEqual(
      await ok(store.findTokenHolder(application.id, revocation.id)),
      some({ application, revocation: none }),
    )
  })
}

/** The same, for rows that one handle deletes and another reads. */
export const sharedExpiredRowCases = (check: SharedCheck): void => {
  check('a row that one handle has deleted is gone for the others, and counts once', async (one, other) => {
    for (const table of EXPIRING_TABLES) {
      const rows = ['a', 'b', 'c'].map((id) => expiringRow(table, id, 1))
      await commitAll(one, writing(...rows))
      const [query, all] = [
        { table, beforeSeconds: NOW, limit: 10 },
        { table, after: '', limit: 10 },
      ]
      assert.equal((await ok(other.listRows(all))).length, 3)
      const batches = [...(await Promise.all([ok(one.deleteExpired(query)), ok(other.deleteExpired(query))]))]
      batches.push(await ok(one.deleteExpired(query)))
      assert.equal(
        batches.reduce((sum, deleted) => sum + deleted, 0),
        3,
      )
      assert.deepEqual(await ok(other.listRows(all)), [])
      assert.deepEqual(await ok(one.listRows(all)), [])
    }
  })
}

/** Beyond 32 bits. */
const NOW = 4_102_444_800

const HUGE = 2 * NOW

/** The last one takes two units of UTF-16. */
const IN_ORDER = ['10', '9', 'B', 'a', 'aa', 'b', 'é', '\uff5e', '\u{1f98a}']

/** An expired row of every table, and rows that do not expire. */
const OTHERS: ReadonlyArray<Row> = [
  ...TABLES.map((table) => newRow(table)),
  { table: 'keys', row: aKey({ createdAtSeconds: 1, signsFromSeconds: 1, retiresAtSeconds: some(1) }) },
  ...EXPIRING_TABLES.map((table) => expiringRow(table, '0', HUGE)),
  ...EXPIRING_TABLES.map((table) => expiringRow(table, 'z', HUGE)),
]

/** The row as it is written a second time. */
const again = (written: Row): Row => ({ ...written, row: { ...written.row, version: 2 } }) as Row

const everyRow = async (store: Store) => {
  const rows = await Promise.all(
    TABLES.map(async (table) =>
      (await ok(store.listRows({ table, after: '', limit: 1_000 }))).map((row: RowOf<typeof table>) => ({
        table,
        row,
      })),
    ),
  )
  return rows.flat()
}
