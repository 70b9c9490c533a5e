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

/** Expired rows of a table are deleted page by page. */
export const expiredRowCases = (check: Check): void => {
  for (const table of EXPIRING_TABLES) {
    const made = (id: string, expiresAtSeconds: number) => expiringRow(table, id, expiresAtSeconds)
    const write = (store: Store, rows: Readonly<Record<string, number>>) =>
      commitAll(store, writing(...Object.entries(rows).map(([id, at]) => made(id, at))))
    const remaining = async (store: Store) =>
      (await ok(store.listRows({ table, after: '', limit: 1_000 }))).map(({ id }) => id)
    const remove = (store: Store, query: Partial<ExpiredQuery> = {}) =>
      ok(store.deleteExpired({ table, beforeSeconds: NOW, after: '', limit: 100, ...query }))

    check(`rows that expired before a second are deleted, and no others: ${table}`, async (store) => {
      await write(store, { a: NOW + 1, b: NOW - 1, c: NOW, d: 1 })
      assert.deepEqual(await remove(store), { deleted: 2, last: some('d') })
      assert.deepEqual(await remaining(store), ['a', 'c'])
      assert.deepEqual(await remove(store, { beforeSeconds: NOW + 1 }), { deleted: 1, last: some('c') })
      assert.deepEqual(await remove(store, { beforeSeconds: NOW + 1 }), { deleted: 0, last: some('a') })
      assert.deepEqual(await remaining(store), ['a'])
    })

    check(`only the first rows by id are examined, expired or not: ${table}`, async (store) => {
      await write(store, { a: HUGE, b: 1, c: HUGE, d: 1, e: 1 })
      for (const limit of [0, -1])
        assert.deepEqual(await remove(store, { limit }), { deleted: 0, last: none }, `limit ${limit}`)
      assert.deepEqual(await remove(store, { limit: 1 }), { deleted: 0, last: some('a') })
      assert.deepEqual(await remaining(store), ['a', 'b', 'c', 'd', 'e'])
      assert.deepEqual(await remove(store, { limit: 2 }), { deleted: 1, last: some('b') })
      assert.deepEqual(await remaining(store), ['a', 'c', 'd', 'e'])
      assert.deepEqual(await remove(store, { limit: HUGE }), { deleted: 2, last: some('e') })
      assert.deepEqual(await remaining(store), ['a', 'c'])
    })

    check(`rows are examined from the one after an id on: ${table}`, async (store) => {
      await write(store, { a: 1, c: 1, e: 1 })
      assert.deepEqual(await remove(store, { after: 'e' }), { deleted: 0, last: none })
      assert.deepEqual(await remove(store, { after: 'b', limit: 1 }), { deleted: 1, last: some('c') })
      assert.deepEqual(await remaining(store), ['a', 'e'])
      assert.deepEqual(await remove(store, { after: 'a' }), { deleted: 1, last: some('e') })
      assert.deepEqual(await remaining(store), ['a'])
    })

    check(`rows are examined code point by code point: ${table}`, async (store) => {
      for (let count = 1; count <= IN_ORDER.length; count += 1) {
        const after = IN_ORDER[count - 2] ?? ''
        await write(store, Object.fromEntries([...IN_ORDER.slice(count - 1)].reverse().map((id) => [id, 1])))
        assert.deepEqual(await remove(store, { after, limit: 1 }), {
          deleted: 1,
          last: some(IN_ORDER[count - 1]),
        })
        assert.deepEqual(await remaining(store), IN_ORDER.slice(count))
        assert.deepEqual(await remove(store), {
          deleted: IN_ORDER.length - count,
          last: lastOf(IN_ORDER.slice(count)),
        })
      }
    })

    check(`page after page deletes every expired row once: ${table}`, async (store) => {
      const ids = Array.from({ length: 23 }, (_, index) => `id-${String(index).padStart(2, '0')}`)
      const isExpired = (id: string) => Number(id.slice(3)) % 3 !== 0
      await write(store, Object.fromEntries(ids.map((id) => [id, isExpired(id) ? 1 : HUGE])))
      let [deleted, after] = [0, '']
      for (let pages = 0; pages < 10; pages += 1) {
        const page = await remove(store, { after, limit: 5 })
        deleted += page.deleted
        if (page.last._tag === 'None') break
        after = page.last.value
      }
      assert.equal(deleted, ids.filter(isExpired).length)
      assert.deepEqual(
        await remaining(store),
        ids.filter((id) => !isExpired(id)),
      )
    })

    check(`a deletion touches neither other rows nor the log: ${table}`, async (store) => {
      await write(store, { a: 1, b: HUGE })
      await commitAll(store, writing(...OTHERS), writing(again(made('b', HUGE))))
      const rows = await everyRow(store)
      const before = { log: await wholeLog(store), epoch: await ok(store.readEpoch()) }
      assert.equal((await remove(store)).deleted, 1)
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
      const task = store.deleteExpired({ table, beforeSeconds: NOW, after: '', limit: 1 })
      assert.deepEqual(await remaining(store), ['a'])
      assert.deepEqual(await ok(task), { deleted: 1, last: some('a') })
    })

    check(`of deletions at once each row counts once: ${table}`, async (store) => {
      const ids = Array.from({ length: 40 }, (_, index) => `id-${String(index).padStart(2, '0')}`)
      await write(store, Object.fromEntries(ids.map((id) => [id, 1])))
      const pages = await Promise.all([1, 2, 3, 4].map(() => remove(store)))
      pages.push(await remove(store)) // each may have left what another was deleting
      assert.equal(
        pages.reduce((sum, { deleted }) => sum + deleted, 0),
        ids.length,
      )
      assert.deepEqual(await remaining(store), [])
    })

    check(`a read shows all rows of a page or none while they are deleted: ${table}`, async (store) => {
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
    const session = aSession({ userId: user.id, expiresAtSeconds: 1 })
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
      await ok(store.deleteExpired({ table, beforeSeconds: NOW, after: '', limit: 1 }))
    assert.deepEqual(await ok(store.findSession(session.id)), none)
    const sessions = { userId: user.id, passwordVersion: 1, expiresAfterSeconds: 0, limit: 1 }
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
      const query = { table, beforeSeconds: NOW, after: '', limit: 10 }
      assert.equal((await ok(other.listRows(query))).length, 3)
      const pages = [...(await Promise.all([ok(one.deleteExpired(query)), ok(other.deleteExpired(query))]))]
      pages.push(await ok(one.deleteExpired(query)))
      assert.equal(
        pages.reduce((sum, { deleted }) => sum + deleted, 0),
        3,
      )
      assert.deepEqual(await ok(other.listRows(query)), [])
      assert.deepEqual(await ok(one.listRows(query)), [])
    }
  })
}

/** Beyond 32 bits. */
const NOW = 4_102_444_800

const HUGE = 2 * NOW

/** The last one takes two units of UTF-16. */
const IN_ORDER = ['10', '9', 'B', 'a', 'aa', 'b', 'é', '\uff5e', '\u{1f98a}']

const lastOf = (ids: ReadonlyArray<string>) => {
  const last = ids.at(-1)
  return last === undefined ? none : some(last)
}

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
