import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { StoreUnavailable } from '../../../application/ports/store.ts'
import { refusalOf } from '../records/copy-state.ts'
import type { Connections } from './connections.ts'
import { COPY_STATE } from './copy-state.ts'
import { OutcomeUnknown, reasonOf } from './errors.ts'

export type Found = ReadonlyArray<Readonly<Record<string, unknown>>>

type Ask = <A>(
  sql: string,
  values: ReadonlyArray<unknown>,
  decode: (rows: Found) => E.Either<StoreUnavailable, A>,
) => TaskEither<StoreUnavailable, A>

/** Reads and writes the tables that are not part of the log. */
export const sideTables = (
  connections: Pick<Connections, 'read' | 'transaction'>,
): Readonly<{
  read: Ask
  /**
   * In a transaction, which waits for a synchronous standby, and has a timeout in the server. It fails if the statement returns the
   * copy state of a store that a copy has closed.
   */
  write: Ask
}> => {
  const asking =
    <A>(ask: () => Promise<E.Either<StoreUnavailable, A>>): TaskEither<StoreUnavailable, A> =>
    async () => {
      try {
        return await ask()
      } catch (error) {
        const failed = { _tag: 'StoreUnavailable', reason: reasonOf(error) } as const
        return E.left(error instanceof OutcomeUnknown ? { ...failed, outcome: 'unknown' } : failed)
      }
    }

  return {
    read: (sql, values, decode) =>
      asking(async () => decode((await connections.read<Record<string, unknown>>(sql, values)).rows)),
    write: (sql, values, decode) =>
      asking(async () => {
        const { rows } = await connections.transaction((query) => query<Record<string, unknown>>(sql, values))
        const refusal = refusalOf({ copy_state: null, copy_place: null, ...rows[0] })
        return refusal === undefined ? decode(rows) : E.left(refusal)
      }),
  }
}

/** The state of a copy, which each write compares: a store that is not open keeps its rows as they are. */
export const COPIED = `copied AS MATERIALIZED (${COPY_STATE})`
export const IF_OPEN = '(SELECT copy_state FROM copied) IS NULL'

/** A statement that changes rows, unless a copy has closed the store, and returns their number as `done`. */
export const counting = (statement: string, ...before: ReadonlyArray<string>): string => `
  WITH ${[COPIED, ...before, `done AS (${statement} RETURNING 1)`].join(', ')}
  SELECT copied.*, (SELECT count(*) FROM done) AS done FROM copied`

/** The number of rows that `counting` has changed. */
export const done = ([row]: Found): E.Either<StoreUnavailable, number> => E.right(Number(row?.done))
