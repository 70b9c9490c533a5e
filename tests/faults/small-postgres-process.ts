import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgresServer } from '../support/postgres-server.ts'

/*
 * Runs a PostgreSQL with one database on a small disk, which is mounted in a namespace of this process. Its write-ahead log is elsewhere:
 * without room for that, PostgreSQL stops.
 */
const [, , disk = ''] = process.argv
const server = await startPostgresServer()
const place = join(disk, 'tablespace')
mkdirSync(place)
const [directory] = await server.ask('SHOW data_directory')
const { uid, gid } = statSync(String(directory?.data_directory))
chownSync(place, uid, gid)
const { url } = await server.newDatabase()
await server.ask(`CREATE TABLESPACE small LOCATION '${place}'`)
await server.ask(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET TABLESPACE small`)

const ORDERS: Readonly<Record<string, () => unknown>> = {
  fill: () =>
    execFileSync('sh', ['-c', 'dd if=/dev/zero of="$0" bs=8192 2>/dev/null || true', join(disk, 'filler')]),
  free: () => rmSync(join(disk, 'filler')),
  end: server.remove,
}
process.on('message', async (order: string) => {
  await ORDERS[order]?.()
  process.send?.(order)
  if (order === 'end') process.disconnect()
})
process.send?.(url)
