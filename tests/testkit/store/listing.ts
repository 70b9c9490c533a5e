import assert from 'node:assert/strict'
import { type Row, type RowOf, type Store, TABLES, type Table } from '../../../application/ports/store.ts'
import { change, signedOut } from '../builders.ts'
import { commitAll, ok, refused } from '../outcome.ts'
import type { Check } from '../store.ts'
import { newRow, updated, writing } from './tables.ts'

/** The rows of a table can be gone through, by id. */
export const listingCases = (check: Check): void => {
  for (const table of TABLES) {
    check(`rows are listed whole and by id, whichever was written first: ${table}`, async (store) => {
      const rows = await written(store, table, 'c', 'a', 'b')
      assert.deepEqual(await list(store, table), byId(rows))
    })

    check(`rows are listed from the one after an id on: ${table}`, async (store) => {
      const rows = byId(await written(store, table, 'a', 'c', 'e'))
      assert.deepEqual(await list(store, table, 'a'), rows.slice(1))
      assert.deepEqual(await list(store, table, 'b'), rows.slice(1))
      assert.deepEqual(await list(store, table, 'cc'), rows.slice(2))
      assert.deepEqual(await list(store, table, 'e'), [])
    })

    check(`no more rows are listed than asked for: ${table}`, async (store) => {
      const rows = byId(await written(store, table, 'a', 'b', 'c', 'd'))
      for (const limit of [0, 1, 3, 4, 5, HUGE]) {
        assert.deepEqual(await list(store, table, '', limit), rows.slice(0, limit), `limit ${limit}`)
      }
      assert.deepEqual(await list(store, table, 'b', 1), rows.slice(2, 3))
    })

    check(`ids are ordered code point by code point: ${table}`, async (store) => {
      await written(store, table, ...[...IN_ORDER].reverse())
      assert.deepEqual(idsOf(await list(store, table)), IN_ORDER)
      for (const [index, id] of IN_ORDER.entries()) {
        assert.deepEqual(idsOf(await list(store, table, id)), IN_ORDER.slice(index + 1), `after ${id}`)
      }
    })

    check(`a row is listed as it was last written: ${table}`, async (store) => {
      const [first, second] = [newRow(table, 'a'), newRow(table, 'b')]
      const again = updated(first, 2, 7)
      await commitAll(store, writing(first), writing(second), writing(again))
      assert.deepEqual(await list(store, table), [again.row, second.row])
    })

    check(`a row of a refused change is not listed: ${table}`, async (store) => {
      const rows = await written(store, table, 'a')
      const conflicting = change(signedOut())
      const half = { ...conflicting, rows: [newRow(table, 'b'), ...conflicting.rows] }
      await refused(store.commit(half), { _tag: 'Conflict' })
      assert.deepEqual(await list(store, table), rows)
    })

    check(`what is listed once a commit has resolved holds its row: ${table}`, async (store) => {
      const writeAndList = async (_: unknown, index: number) => {
        const [row] = await written(store, table, `id-${index}`)
        assert.deepEqual(
          (await list(store, table)).find(({ id }) => id === `id-${index}`),
          row,
        )
      }
      await Promise.all(Array.from({ length: 30 }, writeAndList))
    })

    check(`page after page visits every row once: ${table}`, async (store) => {
      const ids = Array.from({ length: 11 }, (_, index) => `id-${index}`)
      const rows = await written(store, table, ...ids)
      const visited: Array<RowOf<Table>> = []
      for (;;) {
        const page = await list(store, table, visited.at(-1)?.id ?? '', 4)
        visited.push(...page)
        if (page.length === 0 || visited.length > rows.length) break
      }
      assert.deepEqual(visited, byId(rows))
    })
  }

  check('a new store lists no rows', async (store) => {
    for (const table of TABLES) assert.deepEqual(await list(store, table), [])
  })
}

/** Numbers are text too, a word comes before those it begins, and what UTF-16 writes as two comes last. */
const IN_ORDER = ['10', '9', 'B', 'a', 'a-', 'aa', 'b', 'é', '\uff5e', '\u{1f98a}']

/** As much as a caller can ask for who wants everything. */
const HUGE = Number.MAX_SAFE_INTEGER

/** Writes a row for each id, one commit after the other. */
const written = async (
  store: Store,
  table: Table,
  ...ids: ReadonlyArray<string>
): Promise<ReadonlyArray<RowOf<Table>>> => {
  const rows: ReadonlyArray<Row> = ids.map((id) => newRow(table, id))
  await commitAll(store, ...rows.map((row) => writing(row)))
  return rows.map(({ row }) => row)
}

const list = (store: Store, table: Table, after = '', limit = HUGE): Promise<ReadonlyArray<RowOf<Table>>> =>
  ok(store.listRows({ table, after, limit }))

const byId = (rows: ReadonlyArray<RowOf<Table>>) =>
  [...rows].sort((one, other) => Buffer.compare(Buffer.from(one.id), Buffer.from(other.id)))

const idsOf = (rows: ReadonlyArray<RowOf<Table>>) => rows.map(({ id }) => id)
