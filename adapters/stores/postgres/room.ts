import type { Connections } from './connections.ts'
import { lacksRight, NoRoom, OutcomeUnknown, stateOf } from './errors.ts'
import type { Query } from './primary.ts'

export type WatchedConnections = Readonly<{
  connections: Connections
  /** Costs nothing until a change fails for lack of room. From then on, it fails until temporary tables find room for a batch of changes. */
  expectRoom: () => Promise<void>
}>

/**
 * Notices when the server finds no room for a change: a full disk, or a quota. What fits into the space of existing tables, such as a
 * lock of a row, then proves nothing for a sign-in.
 */
export const watchingRoom = (connections: Connections): WatchedConnections => {
  let failures = 0
  let hasRight = true

  const noting = async <A>(ask: () => Promise<A>, changes: boolean): Promise<A> => {
    try {
      const answer = await ask()
      if (changes && !hasRight) failures = 0 // nothing else tells
      return answer
    } catch (error) {
      if (cannotStore(error)) {
        failures += 1
        hasRight = true // as far as is known: the next look tells
      }
      throw error
    }
  }
  return {
    connections: {
      ...connections,
      write: (sql, values) => noting(() => connections.write(sql, values), true),
      transaction: (work, options) =>
        noting(() => connections.transaction(work, options), options?.changesNothing !== true),
    },
    expectRoom: async () => {
      const seen = failures
      if (seen === 0) return
      hasRight = await connections.transaction(fillTables, { changesNothing: true })
      if (!hasRight) throw new NoRoom(NOT_PERMITTED)
      if (failures !== seen) throw new NoRoom('a change has failed during the check')
      failures = 0
    },
  }
}

/**
 * In each tablespace of the store. Returns whether the user may create the tables. An error would be taken for a lost right to ask for the
 * timeline, and COMMIT of a failed transaction is a ROLLBACK.
 */
const fillTables = async (query: Query): Promise<boolean> => {
  const { rows } = await query<{ name: string }>(TABLESPACES)
  try {
    for (const [index, { name }] of rows.entries()) {
      await query(`SELECT pg_catalog.set_config('temp_tablespaces', $1, true)`, [name])
      await query(`CREATE TEMPORARY TABLE portcullis_probe_${index} ON COMMIT DROP AS ${FILLERS}`)
    }
    return true
  } catch (error) {
    if (lacksRight(error)) return false
    throw error
  }
}

/** Whether the server could not write to its disk. It reports a full disk as 53100, and a quota as an internal error. */
const cannotStore = (error: unknown): boolean =>
  /^(?:53[124]|58|XX)/.test(stateOf(error instanceof OutcomeUnknown ? error.cause : error) ?? '')

const NOT_PERMITTED =
  'a change has found no room, and this user may not create temporary tables, which would tell whether there is room again'

/** An empty name is the tablespace of the database. */
const TABLESPACES = `
  SELECT DISTINCT coalesce(pg_catalog.quote_ident(spcname), '') AS name
  FROM pg_catalog.pg_class AS c LEFT JOIN pg_catalog.pg_tablespace AS t ON t.oid = c.reltablespace
  WHERE c.relnamespace = 'portcullis'::regnamespace AND c.relkind IN ('r', 'i')
  LIMIT 8`

/** 1 MiB, which no compression makes smaller. */
const FILLERS = `
  SELECT pg_catalog.string_agg(pg_catalog.md5(i::text || pg_catalog.random()), '') AS filler
  FROM pg_catalog.generate_series(1, 32768) AS i GROUP BY i % 1024`
