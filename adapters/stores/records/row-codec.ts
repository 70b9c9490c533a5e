import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import type { ExpiringTable, RowOf, Table } from '../../../application/ports/store.ts'

/** Everything that a store must know of a table. */
export type TableRecord<T extends Table> = RowCodec<RowOf<T>> &
  Readonly<{
    /** Whether an overwritten or deleted row held a secret or an e-mail: the file of a store must keep no trace of it. */
    holdsSecrets: boolean
    /** The column that no two rows share, besides `id`. A store answers a value that is taken with `EmailTaken`. */
    unique?: string
    /** The column with the second at which a row expires. */
    expiry: T extends ExpiringTable ? string : undefined
  }>

/**
 * Encodes a record of the domain as a flat row of strings and integers, so that any database can hold it.
 * Reading is strict: a damaged row is an error, never a partial record.
 */
export type RowCodec<Entity> = Readonly<{
  /** The names of the columns. `id` is the key. A `version` counts how often the row was written. */
  columns: ReadonlyArray<string>
  encode(entity: Entity): Columns
  decode(columns: unknown): E.Either<t.Errors, Entity>
  /** Decodes values in the order of `columns`, the first of them at `from`. */
  decodeValues(values: ReadonlyArray<unknown>, from: number): E.Either<t.Errors, Entity>
}>

export type Columns = Readonly<Record<string, string | number | null>>

/** The column that every table has. */
type Keyed = Readonly<{ id: string }>

export const rowCodec = <A extends Keyed, O extends Columns, Entity>({
  row,
  toEntity,
  toColumns,
  isConsistent = () => true,
}: Readonly<{
  row: t.Type<A, O, unknown> & { props: t.Props }
  toEntity: (columns: A) => Entity
  toColumns: (entity: Entity) => A
  /** Checks columns that depend on each other. */
  isConsistent?: (columns: A) => boolean
}>): RowCodec<Entity> => {
  const columns = Object.keys(row.props)
  const codecs: ReadonlyArray<t.Mixed> = Object.values(row.props)

  /** Plain steps are measurably faster than the decoder of `t.type`, which every request would run. */
  const decodeValues: RowCodec<Entity>['decodeValues'] = (values, from) => {
    const decoded: Record<string, unknown> = {}
    for (let index = 0; index < columns.length; index += 1) {
      const value = (codecs[index] as t.Mixed).validate(values[from + index], NO_CONTEXT)
      if (E.isLeft(value)) return value
      decoded[columns[index] as string] = value.right
    }
    return isConsistent(decoded as A) ? E.right(toEntity(decoded as A)) : INCONSISTENT
  }

  return {
    columns,
    encode: (entity) => row.encode(toColumns(entity)),
    decode: (object) => {
      const found = (typeof object === 'object' ? object : null) ?? {}
      return decodeValues(
        columns.map((name) => found[name as never]),
        0,
      )
    },
    decodeValues,
  }
}

/** Errors of a row are not shown, because their values may be secrets. So they need no place either. */
const NO_CONTEXT: t.Context = []
const INCONSISTENT = E.left<t.Errors>([])
