import { openDatabase } from '../../adapters/stores/postgres/database.ts'
import { eventually } from '../support/eventually.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { PLACE } from './database.ts'

/** A primary whose commits wait for its standby. */
export type SynchronousPair = Readonly<{
  primary: PostgresServer
  standby: PostgresServer
  /** A database with the schema, on the primary. */
  url: string
  /** Its name on both servers. */
  name: string
  /** Sets `synchronous_standby_names`. */
  waitFor: (names: string) => Promise<void>
  /** From now on, the standby acknowledges nothing, without an error. */
  stall: () => Promise<void>
  resume: () => void
  /** The connections of the database whose commits wait for the standby. */
  waiting: () => Promise<ReadonlyArray<number>>
  remove: () => Promise<void>
}>

/** The `synchronous_standby_names` of the pair at its start. */
export const NAMES = '"standby-1"'

/**
 * Commits wait for the standby from the beginning.
 *
 * @param flags of both servers
 */
export const startSynchronousPair = async (...flags: ReadonlyArray<string>): Promise<SynchronousPair> => {
  const primary = await startPostgresServer(...flags)
  const { url } = await primary.newDatabase()
  const name = new URL(url).pathname.slice(1)
  await openDatabase({ url, place: PLACE })
  const standby = await primary.standby()
  let stalled: number | undefined

  const waitFor = async (names: string): Promise<void> => {
    await primary.ask(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
    await primary.ask('SELECT pg_reload_conf()')
    await eventually('the server has taken the names', async () => {
      const [row] = await primary.ask(
        "SELECT sync_state, current_setting('synchronous_standby_names') AS names FROM pg_stat_replication",
      )
      const isNamed = names.includes('standby-1')
      return row?.names === names && (row.sync_state !== 'async') === isNamed ? true : undefined
    })
  }
  const resume = (): void => {
    if (stalled !== undefined) process.kill(stalled, 'SIGCONT')
    stalled = undefined
  }
  await waitFor(NAMES)
  return {
    primary,
    standby,
    url,
    name,
    waitFor,
    stall: async () => {
      const [receiver] = await standby.ask('SELECT pid FROM pg_stat_wal_receiver')
      stalled = Number(receiver?.pid)
      process.kill(stalled, 'SIGSTOP')
    },
    resume,
    waiting: async () => {
      const rows = await primary.ask(
        `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = '${name}'`,
      )
      return rows.map(({ pid }) => Number(pid))
    },
    remove: async () => {
      resume()
      await primary.remove()
    },
  }
}
