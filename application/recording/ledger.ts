import type { EventType } from '../../domain/event.ts'
import { type LogEntry, type Row, TABLES, type Table } from '../ports/store.ts'
import type { EntryOf } from './events/definition.ts'
import { definitionOf, isEventType } from './events/table.ts'
import { type ExpectedRows, type ExpectedTables, noExpectedRows } from './expected-rows.ts'
import { type Expected, type LedgerWorld, TABLE_RULES } from './tables.ts'

/**
 * Computes the rows from the log alone, and compares them with those in the store: the counterpart of `toChange`.
 *
 * Give it the entries in order with `apply`. Then `differences` says where a row differs, and `missing` which rows were never
 * given to `differences`, except those that have expired: housekeeping may have deleted them. No sentence contains a secret.
 */
export type Ledger = Readonly<{
  /** Takes the next entry, which may leave pruned ones out. Returns what contradicts the entries before it. */
  apply(entry: LogEntry): ReadonlyArray<string>
  differences(row: Row): ReadonlyArray<string>
  missing(): ReadonlyArray<MissingRow>
  /** The number of rows of a table that the log explains. Expired ones may be missing in it. */
  size(table: Table): number
  /** The position of the last entry; 0 before the first. */
  position(): number
}>

/** A row that should exist. One of a table with expiring rows has expired at `expiresAtSeconds`, or will. */
export type MissingRow = Readonly<{ sentence: string; table: Table; expiresAtSeconds?: number }>

export const ledger = (sha256: (text: string) => string, nowSeconds: () => number): Ledger => {
  const expected = noExpectedRows({ sha256, nowSeconds: nowSeconds() })
  let position = 0

  return {
    apply: (entry) => {
      position = entry.position
      const finding = expectRowsOf(entry, expected)
      return finding === undefined ? NOTHING : [`the log at position ${position} (${entry.type}): ${finding}`]
    },
    differences: (row) => {
      const counterpart = expectedOf(row, expected)
      if (counterpart !== undefined) counterpart.isStored = true
      const columns = differingColumns(row, counterpart, expected)
      if (columns.length === 0) return NOTHING
      const { id, version } = row.row
      return columns.map(
        (column) => `${row.table} ${id} (version ${version}): ${column} differs from the log`,
      )
    },
    missing: () => {
      const now = nowSeconds() // reading takes time, in which rows expire and are deleted
      const missing: Array<MissingRow> = []
      for (const table of TABLES)
        for (const [id, row] of rowsOf(table, expected))
          if (!row.isStored && !mayBeDeleted(row, now))
            missing.push({ sentence: `${table} ${id}: the row is missing`, table, ...expiryOf(row) })
      return missing
    },
    size: (table) => rowsOf(table, expected).size,
    position: () => position,
  }
}

/** Of nearly all entries and rows. */
const NOTHING: ReadonlyArray<string> = []

const expectRowsOf = <Type extends EventType>(
  entry: EntryOf<Type>,
  expected: ExpectedRows,
): string | undefined =>
  isEventType(entry.type) // a store that is not ours may return others
    ? definitionOf<Type>(entry.type).expect(entry, expected)
    : 'unknown event type'

/** The names of the columns in which a row differs from the expected one; `the row` when none is expected. */
const differingColumns = <T extends Table>(
  { table, row }: Row<T>,
  counterpart: Expected[T] | undefined,
  world: LedgerWorld,
): ReadonlyArray<string> => {
  const agreement = TABLE_RULES[table].compare(row, counterpart, world)
  let differing = NOTHING
  for (const column in agreement) if (!agreement[column]) differing = [...differing, column]
  return differing
}

const expectedOf = <T extends Table>(
  { table, row }: Row<T>,
  expected: ExpectedTables,
): Expected[T] | undefined => expected[table].get(TABLE_RULES[table].nameInLog?.(row) ?? row.id)

type ExpectedRow = Expected[Table]

const rowsOf = (table: Table, expected: ExpectedTables): ReadonlyMap<string, ExpectedRow> => expected[table]

const expiryOf = (row: ExpectedRow): Pick<MissingRow, 'expiresAtSeconds'> =>
  'expiresAtSeconds' in row && row.expiresAtSeconds !== undefined
    ? { expiresAtSeconds: row.expiresAtSeconds }
    : {}

const mayBeDeleted = (row: ExpectedRow, nowSeconds: number): boolean =>
  'expiresAtSeconds' in row && (row.expiresAtSeconds === undefined || row.expiresAtSeconds <= nowSeconds)
