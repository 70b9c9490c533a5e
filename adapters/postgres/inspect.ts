import type { Finding } from '../../application/ports/inspection.ts'
import { connectionsTo } from './connections.ts'
import { type Database, openDatabase, settingsOf } from './database.ts'

/**
 * How the database and its server are, found out beside services that may be using them and without changing anything.
 *
 * @param poolSize so many connections may one instance take
 */
export const inspectPostgres = async (
  database: Database,
  poolSize: number,
): Promise<ReadonlyArray<Finding>> => {
  const connections = connectionsTo(database.url, 1)
  try {
    await openDatabase(database, 'as it is', 0)
    const setting = await settingsOf(connections.read)
    const { rows } = await connections.read<{ used: number }>(
      "SELECT count(*) AS used FROM pg_stat_activity WHERE backend_type = 'client backend'",
    )
    const [used, most] = [Number(rows[0]?.used), Number(setting.max_connections)]
    return [
      {
        name: 'store',
        ok: true,
        detail: `PostgreSQL ${setting.server_version} at ${database.place} can be used.`,
      },
      setting.fsync === 'off'
        ? {
            name: 'durability',
            ok: false,
            detail:
              'fsync is off: when the machine fails, what was answered is lost. Turn it on, unless the storage makes up for it.',
          }
        : {
            name: 'durability',
            ok: true,
            detail: `fsync is ${setting.fsync}, synchronous_commit ${setting.synchronous_commit}.`,
          },
      {
        name: 'connections',
        ok: most - used >= poolSize,
        detail: `${used} of the server's ${most} are taken, and each instance takes up to ${poolSize}${most - used >= poolSize ? '.' : ': raise max_connections, put PgBouncer in between, or lower DATABASE_POOL_SIZE.'}`,
      },
    ]
  } catch (error) {
    return [
      { name: 'store', ok: false, detail: error instanceof Error ? error.message : 'it cannot be used.' },
    ]
  } finally {
    await connections.close()
  }
}
