import type { Finding } from '../../../application/ports/inspection.ts'
import { notificationProblem } from './announcements.ts'
import { type Connections, connectionsTo } from './connections.ts'
import { type Database, openDatabase, settingsOf } from './database.ts'
import { durability } from './durability.ts'
import { reasonOf } from './errors.ts'

/**
 * Findings about the database and its server. It changes nothing, and is safe beside running services.
 *
 * @param poolSize the connections of one instance
 * @param directUrl of the same database, for LISTEN
 */
export const inspectPostgres = async (
  database: Database,
  poolSize: number,
  directUrl: string | undefined,
): Promise<ReadonlyArray<Finding>> => {
  const wrong = await openDatabase(database, { opening: 'read-only', timeoutMs: 0 }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  if (wrong !== undefined) return [{ name: 'store', ok: false, detail: wrong }]
  const connections = connectionsTo(database.url, 1)
  try {
    const setting = await settingsOf(connections.read)
    const { rows } = await connections.read<{ used: number }>(
      'SELECT sum(numbackends)::bigint AS used FROM pg_stat_database', // readable for every user
    )
    const used = Number(rows[0]?.used)
    const most = Number(setting.max_connections) - Number(setting.superuser_reserved_connections)
    return [
      {
        name: 'store',
        ok: true,
        detail: `PostgreSQL ${setting.server_version} at ${database.place} can be used.`,
      },
      await durability(connections.read, setting),
      {
        name: 'connections',
        ok: most - used >= poolSize,
        detail: `${used} of the server's ${most} connections are used, and each instance uses up to ${poolSize}.${most - used >= poolSize ? '' : ' Raise max_connections, use PgBouncer, or lower DATABASE_POOL_SIZE.'}`,
      },
      await restores(connections),
      ...(directUrl === undefined ? [] : [await listening(connections, directUrl)]),
    ]
  } catch (error) {
    return [{ name: 'store', ok: false, detail: `${database.place}: ${reasonOf(error)}.` }]
  } finally {
    await connections.close()
  }
}

/** Not an error: some servers hide their identity. */
const restores = async ({ read }: Connections): Promise<Finding> => {
  const { rows } = await read<{ place: string | null }>('SELECT portcullis.place() AS place')
  const isKnown = (rows[0]?.place ?? null) !== null
  return {
    name: 'restores',
    ok: true,
    detail: isKnown
      ? 'the log gets a new epoch after a restore or a fail-over.'
      : 'this user may not call pg_control_system() or pg_walfile_name(). A former primary is not refused. After a restore or a fail-over, run: portcullis events renew.',
  }
}

const listening = async (connections: Connections, directUrl: string): Promise<Finding> => {
  const why = await notificationProblem(connections, directUrl)
  return why === undefined
    ? { name: 'listening', ok: true, detail: 'instances hear of rotated keys at once.' }
    : {
        name: 'listening',
        ok: false,
        detail: `DATABASE_DIRECT_URL receives no notifications (${why}). It must name the same database, on the server itself instead of a pooler.`,
      }
}
