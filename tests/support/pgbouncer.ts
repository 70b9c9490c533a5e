import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './command.ts'

/** A real PgBouncer in transaction mode, with two connections to the server for each database. */
export type PgBouncer = Readonly<{
  /** The URL of the same database through it. */
  through: (url: string) => string
  stop: () => Promise<void>
}>

const program = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find(existsSync)

/** PgBouncer never runs as root. This user exists where root had to start the PostgreSQL of the tests. */
const USER = userInfo().uid === 0 ? 'postgres' : undefined

/**
 * @param serverUrl of any database on the server
 * @param settings replace those of the tests
 */
export const startPgBouncer = async (
  serverUrl: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<PgBouncer> => {
  if (program === undefined) throw new Error('There is no PgBouncer.')
  const folder = join(tmpdir(), `portcullis-pgbouncer-${process.pid}-${randomBytes(4).toString('hex')}`)
  mkdirSync(folder, { mode: 0o700 })
  const port = await freePort()
  const { hostname, port: serverPort, username, password } = new URL(serverUrl)
  writeFileSync(join(folder, 'users.txt'), `"${username}" "${password}"\n`, { mode: 0o600 })
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
${Object.entries({ ...SETTINGS, listen_port: port, auth_file: join(folder, 'users.txt'), ...settings })
  .map(([name, value]) => `${name} = ${value}\n`)
  .join('')}`,
    { mode: 0o600 },
  )
  if (USER !== undefined) {
    const [uid, gid] = ['-u', '-g'].map((which) =>
      Number(execFileSync('id', [which, USER], { encoding: 'utf8' })),
    )
    for (const name of ['', 'users.txt', 'pgbouncer.ini']) chownSync(join(folder, name), uid ?? 0, gid ?? 0)
  }
  const child: ChildProcess = spawn(
    program,
    [...(USER === undefined ? [] : ['-u', USER]), join(folder, 'pgbouncer.ini')],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const gone = once(child, 'exit')
  const lines = createInterface({ input: child.stderr ?? process.stdin })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      said = line
      if (line.includes('process up')) resolve()
    })
    gone.then(() => reject(new Error(`PgBouncer does not start: ${said}`)))
  })
  return {
    through: (url) => {
      const pooled = new URL(url)
      pooled.port = String(port)
      return pooled.href
    },
    stop: async () => {
      child.kill('SIGINT')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const SETTINGS = {
  listen_addr: '127.0.0.1',
  unix_socket_dir: '',
  auth_type: 'scram-sha-256',
  pool_mode: 'transaction',
  default_pool_size: 2,
  server_login_retry: 1,
  max_client_conn: 500,
}

/** Whether PgBouncer is installed. Without it its tests are skipped, and fail in CI. */
export const hasPgBouncer = program !== undefined

if (!hasPgBouncer)
  it('needs PgBouncer, and there is none (make pgbouncer)', function () {
    if (process.env.CI) throw new Error('There is no PgBouncer.')
    this.skip()
  })
