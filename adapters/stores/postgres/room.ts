import { randomBytes } from 'node:crypto'
import type { Connections } from './connections.ts'
import { OutcomeUnknown, stateOf } from './errors.ts'

export type WatchedConnections = Readonly<{
  connections: Connections
  /** Costs nothing until a change fails for lack of room. From then on, it fails until a new table finds room for a batch of changes. */
  expectRoom: () => Promise<void>
}>

/**
 * Notices when the server finds no room for a change: a full disk, or a quota. What fits into the space of existing tables, such as a
 * lock of a row, then proves nothing for a sign-in.
 */
export const watchingRoom = (connections: Connections): WatchedConnections => {
  let failures = 0
  const noting = async <A>(ask: () => Promise<A>): Promise<A> => {
    try {
      return await ask()
    } catch (error) {
      if (cannotStore(error)) failures += 1
      throw error
    }
  }
  return {
    connections: {
      ...connections,
      write: (sql, values) => noting(() => connections.write(sql, values)),
      transaction: (work, options) => noting(() => connections.transaction(work, options)),
    },
    expectRoom: async () => {
      const seen = failures
      if (seen === 0) return
      const table = `portcullis.probe_${randomBytes(8).toString('hex')}`
      await connections.transaction(
        async (query) => {
          await query(SAME_TABLESPACE)
          await query(`CREATE TABLE ${table} (filler text)`)
          await query(`INSERT INTO ${table} ${FILLERS}`)
          await query(`DROP TABLE ${table}`)
        },
        { changesNothing: true },
      )
      if (failures === seen) failures = 0
    },
  }
}

/** Whether the server could not write to its disk. It reports a full disk as 53100, and a quota as an internal error. */
const cannotStore = (error: unknown): boolean =>
  /^(?:53[124]|58|XX)/.test(stateOf(error instanceof OutcomeUnknown ? error.cause : error) ?? '')

/** An empty name is the tablespace of the database. */
const SAME_TABLESPACE = `
  SELECT set_config('default_tablespace', coalesce((
    SELECT spcname FROM pg_class AS c JOIN pg_tablespace AS t ON t.oid = c.reltablespace
    WHERE c.oid = 'portcullis.log'::regclass), ''), true)`

/** 1 MiB, which no compression makes smaller. */
const FILLERS = `
  SELECT string_agg(md5(i::text || random()), '') FROM generate_series(1, 32768) AS i GROUP BY i % 1024`
