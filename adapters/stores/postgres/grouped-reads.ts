import DataLoader from 'dataloader'
import type { Query } from './primary.ts'

type Row = Record<string, unknown>

/** Finds at most one row by values of type text. */
export type PointRead = (values: ReadonlyArray<string>) => Promise<Row | undefined>

/**
 * A read of at most one row, which runs once for all calls of one turn of the event loop. So concurrent requests share a round trip,
 * and the server plans one statement for all of them.
 *
 * A read begins after its call, so it is never stale. A row that cannot be decoded fails only its own caller.
 *
 * @param sql selects at most one row, with the parameters `$1`, `$2` … of type text
 */
export const groupedRead = (query: Query, sql: string): PointRead => {
  const parameters = Math.max(...Array.from(sql.matchAll(PARAMETER), ([, number]) => Number(number)))
  const arrays = Array.from({ length: parameters }, (_, index) => `$${index + 1}::text[]`)
  const names = arrays.map((_, index) => `value_${index + 1}`)
  const grouped = `
    SELECT asked."${PLACE}", found.*
    FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS asked (${names.join(', ')}, "${PLACE}")
      CROSS JOIN LATERAL (${sql.replaceAll(PARAMETER, 'asked.value_$1')}) AS found`

  const loader = new DataLoader<ReadonlyArray<string>, Row | undefined>(
    async (calls) => {
      const { rows } = await query<Row>(
        grouped,
        arrays.map((_, index) => calls.map((values) => values[index])),
      )
      const byPlace = new Map(rows.map((row) => [Number(row[PLACE]), row]))
      return calls.map((_, index) => byPlace.get(index + 1))
    },
    { cache: false, maxBatchSize: MAX_READS, batchScheduleFn: setImmediate },
  )
  return (values) => loader.load(values)
}

const PARAMETER = /\$(\d+)/g
const PLACE = 'place of the call'

/** A larger statement would keep its callers waiting. */
const MAX_READS = 256
