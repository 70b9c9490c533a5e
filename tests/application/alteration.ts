import type { RowOf, Table } from '../../application/ports/store.ts'

/**
 * A change of one field, and the columns that are then reported. None is reported if the log has nothing to compare
 * with: it has no e-mail and no digest of an API key. Of a signing key it has only the kid, the purpose and the retirement.
 */
export type Alteration<T extends Table, Field extends keyof RowOf<T>> = Readonly<{
  field: Field
  name: string
  of: (row: RowOf<T>) => boolean
  to: (row: RowOf<T>) => RowOf<T>[Field]
  said: ReadonlyArray<string>
}>

/** For each field of a row, what it may become. */
export type Alterations<T extends Table> = {
  [F in keyof RowOf<T>]: ReadonlyArray<Omit<Alteration<T, F>, 'field'>>
}

export const any = () => true
