import { type RowOf, TABLES, type Table } from '../../application/ports/store.ts'
import type { Alteration, Alterations } from './alteration.ts'
import { ALTERATIONS_OF_APPLICATIONS } from './alterations-of-applications.ts'
import { ALTERATIONS_OF_USERS } from './alterations-of-users.ts'

const ALTERATIONS: { [T in Table]: Alterations<T> } = {
  ...ALTERATIONS_OF_USERS,
  ...ALTERATIONS_OF_APPLICATIONS,
}

/** The alterations of a table as a list. */
const alterations = <T extends Table>(table: T) =>
  Object.entries<ReadonlyArray<Omit<Alteration<T, keyof RowOf<T>>, 'field'>>>(
    ALTERATIONS[table] as never, // the table's own fields, in pairs that the compiler has checked at their definition
  ).flatMap(([field, all]) => all.map((one) => ({ ...one, table, field })))

/** Every alteration, with its table and field. */
export const ALTERATIONS_OF_ROWS = TABLES.flatMap((table) => alterations<Table>(table))
