import type { Change } from '../../../application/ports/store.ts'
import { type RowKey, rowKeysOf } from './row-locks.ts'

/**
 * The rows that another transaction keeps locked, as far as they are known. A row is known while a change waits for it,
 * so their number is bounded by that of the waiting changes.
 */
export type ContendedRows = Readonly<{
  /** Those that a change writes or compares. */
  of: (change: Change) => ReadonlyArray<RowKey>
  /** Adds rows. Changes that wait for them must be told with `waiting` in the same turn. Returns whether one is new. */
  add: (held: ReadonlyArray<RowKey>) => boolean
  /** Keeps the rows of a change known until `work` ends. */
  waiting: <A>(change: Change, work: () => Promise<A>) => Promise<A>
}>

export const contendedRows = (): ContendedRows => {
  const waiting = new Map<RowKey, number>()
  const of = (change: Change): ReadonlyArray<RowKey> =>
    waiting.size === 0 ? [] : rowKeysOf(change).filter((row) => waiting.has(row))

  const count = (row: RowKey, by: number): void => {
    const total = (waiting.get(row) ?? 0) + by
    if (total > 0) waiting.set(row, total)
    else waiting.delete(row)
  }

  return {
    of,
    add: (held) => {
      const added = held.filter((row) => !waiting.has(row))
      for (const row of added) waiting.set(row, 0)
      return added.length > 0
    },
    waiting: async (change, work) => {
      const rows = of(change)
      for (const row of rows) count(row, 1)
      try {
        return await work()
      } finally {
        for (const row of rows) count(row, -1)
      }
    },
  }
}
