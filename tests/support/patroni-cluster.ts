import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { TIMELINE_OF_PRIMARY } from '../../adapters/stores/postgres/primary.ts'
import { eventually } from './eventually.ts'
import { haproxyFile, memberFiles, PASSWORDS, pgbouncerFile, type Recipe } from './patroni-files.ts'
import { isRunning, signal, withChildren } from './process-tree.ts'
import { commandLineOf } from './processes.ts'

/** A way from the service to the primary. */
export type Way = 'hosts' | 'haproxy' | 'pgbouncer'

/**
 * What of a member ends or stops: Patroni, PostgreSQL with all its processes, or both. Or of a standby, only the process that
 * receives changes: the standby stays healthy for Patroni.
 */
export type Part = 'patroni' | 'postgres' | 'whole' | 'receiver'

/** Three members of PostgreSQL, etcd and Patroni, with HAProxy and PgBouncer, as in `deploy/high-availability`. */
export type PatroniCluster = Readonly<{
  /** The settings of a service on the empty database `portcullis`. */
  settings: (way: Way) => Readonly<Record<string, string>>
  /** The name of the member with the lock, also while it does not answer. */
  leader: () => Promise<string>
  /** The timeline of the primary: each change of the primary begins a new one. */
  timeline: () => Promise<number>
  /** Waits for a primary, two streaming standbys, one of them synchronous. Returns the name of the latter. */
  settled: () => Promise<string>
  /** Ends a part like `kill -9`. */
  kill: (member: string, part?: Part) => void
  /** Starts Patroni again, which starts PostgreSQL. */
  restart: (member: string) => void
  /** Stops a part like `kill -STOP`. */
  freeze: (member: string, part?: Part) => void
  /** Continues what `freeze` stopped. */
  thaw: (member: string) => void
  /** Makes the synchronous standby the primary, and returns when Patroni has done so. */
  switchOver: () => Promise<void>
  /** Sets a time of PostgreSQL on all members, and waits until the primary has it. */
  configure: (name: string, value: string) => Promise<void>
  /** Ends all connections of the service on the primary. Nothing that was sent on them changes the database any more. */
  endConnections: () => Promise<void>
  /** Runs SQL as the superuser on a member. */
  ask: (member: string, sql: string) => Promise<ReadonlyArray<Record<string, unknown>>>
  /** The output of all processes, for a failed test. */
  log: () => string
  /** Ends everything and removes its files. */
  remove: () => void
}>

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
const programs = new Map(
  ['etcd', 'haproxy', 'patroni', 'pgbouncer'].map((name) => [
    name,
    FOLDERS.map((folder) => join(folder, name)).find(existsSync),
  ]),
)

/** PostgreSQL and PgBouncer refuse to run as root. */
const ownerOf = (): Recipe['owner'] => {
  const { uid, gid } = userInfo()
  if (uid !== 0) return { uid, gid }
  const [its, group] = ['-u', '-g'].map((which) =>
    Number(execFileSync('id', [which, 'postgres'], { encoding: 'utf8' })),
  )
  return { uid: its ?? 0, gid: group ?? 0 }
}

/** A network of this machine alone, so that all processes have the ports of the recipe. */
const newNetwork = (): string => `127.${1 + randomInt(254)}.${randomInt(256)}`

export const startPatroniCluster = async (): Promise<PatroniCluster> => {
  const folder = join(tmpdir(), `portcullis-patroni-${process.pid}-${randomBytes(4).toString('hex')}`)
  mkdirSync(folder)
  chmodSync(folder, 0o755) // its user has to enter it
  const network = newNetwork()
  const recipe: Recipe = {
    folder,
    addressOf: (member) => `${network}.${10 + member}`,
    proxyAddress: `${network}.1`,
    owner: ownerOf(),
  }
  const members = [1, 2, 3].map((number) => memberFiles(number, recipe))
  const memberOf = (wanted: string) => {
    const found = members.find(({ name }) => name === wanted)
    if (found === undefined) throw new Error(`There is no ${wanted}.`)
    return found
  }
  const children: Array<ChildProcess> = []
  const logs = new Set<string>()

  const start = (
    program: string,
    words: ReadonlyArray<string>,
    { log, env = {} }: Readonly<{ log: string; env?: Record<string, string> }>,
  ): ChildProcess => {
    logs.add(log)
    const out = openSync(log, 'a')
    const child = spawn(programs.get(program) ?? program, words, {
      stdio: ['ignore', out, out],
      cwd: folder,
      ...recipe.owner,
      env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...env },
    })
    child.on('error', () => {}) // what waits for it reports it
    children.push(child)
    return child
  }

  const patronis = new Map<string, ChildProcess>()
  const restart = (name: string): void => {
    const { patroni, log } = memberOf(name)
    patronis.set(name, start('patroni', [patroni], { log }))
  }

  /** The processes of a part that run. PostgreSQL is no child of Patroni. */
  const processesOf = (name: string, part: Part): ReadonlyArray<number> => {
    const patroni = patronis.get(name)?.pid
    const file = join(memberOf(name).data, 'postmaster.pid')
    const postmaster = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n', 1)[0]) : undefined
    const its = { patroni: withChildren(patroni), postgres: withChildren(postmaster) }
    const chosen = {
      ...its,
      whole: [...its.patroni, ...its.postgres],
      receiver: its.postgres.filter((pid) => commandLineOf(pid).includes('walreceiver')),
    }
    return chosen[part].filter(isRunning)
  }

  /** A signal for all processes of a part. The second look finds those that started during the first one. */
  const toAll = (name: string, part: Part, signals: NodeJS.Signals): void => {
    const known = processesOf(name, part)
    for (const pid of known) signal(pid, signals)
    for (const pid of processesOf(name, part)) signal(pid, signals)
  }

  const ask: PatroniCluster['ask'] = async (name, sql) => {
    const client = new pg.Client({
      host: memberOf(name).address,
      ...{ user: 'postgres', password: PASSWORDS.superuser, database: 'postgres' },
      ...{ connectionTimeoutMillis: ASK_MS, query_timeout: ASK_MS },
    })
    client.on('error', () => {}) // the query reports it
    try {
      await client.connect()
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }

  /** What a Patroni that answers says of the cluster. */
  const roles = async (): Promise<ReadonlyArray<Role> | undefined> => {
    for (const { address } of members) {
      const answer = await fetch(`http://${address}:8008/cluster`, { signal: AbortSignal.timeout(ASK_MS) })
        .then((response) => response.json() as Promise<{ members: ReadonlyArray<Role> }>)
        .catch(() => undefined)
      if (answer !== undefined) return answer.members
    }
    return undefined
  }

  const leader = (): Promise<string> =>
    polled('a leader', async () => (await roles())?.find(({ role }) => role === 'leader')?.name)

  const settled = (): Promise<string> =>
    polled('a primary with two standbys', async () => {
      const seen = await roles()
      const primary = seen?.find(({ role }) => role === 'leader')?.name
      const synchronous = seen?.find(({ role }) => role === 'sync_standby')?.name
      if (primary === undefined || synchronous === undefined) return undefined
      const streams = await ask(
        primary,
        `SELECT application_name AS name, sync_state AS state FROM pg_stat_replication
          WHERE state = 'streaming' AND NOT pg_is_in_recovery()`,
      ).catch(() => [])
      const isSynchronous = streams.some(({ name, state }) => name === synchronous && state === 'sync')
      return streams.length === 2 && isSynchronous ? synchronous : undefined
    })

  /** Asks the Patroni of the primary for a change. */
  const request = async (method: string, path: string, body: object): Promise<void> => {
    const answer = await fetch(`http://${memberOf(await leader()).address}:8008/${path}`, {
      method,
      headers: { Authorization: `Basic ${btoa(`patroni:${PASSWORDS.restapi}`)}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    if (answer.status !== 200) throw new Error(`Patroni answered ${answer.status}: ${await answer.text()}`)
  }

  const remove = (): void => {
    for (const { name } of members) toAll(name, 'whole', 'SIGKILL')
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }

  try {
    for (const { etcd, log } of members) start('etcd', [], { log, env: etcd })
    for (const { name } of members) restart(name)
    start('haproxy', ['-db', '-f', haproxyFile(recipe)], { log: join(folder, 'haproxy.log') })
    start('pgbouncer', [pgbouncerFile(recipe)], { log: join(folder, 'pgbouncer.log') })
    await settled()
    const primary = await leader()
    await ask(primary, `CREATE ROLE portcullis LOGIN PASSWORD '${PASSWORDS.service}'`)
    await ask(primary, "CREATE DATABASE portcullis OWNER portcullis ENCODING 'UTF8' TEMPLATE template0")
  } catch (error) {
    const said = [...logs].map((log) => readFileSync(log, 'utf8').slice(-KEPT_LOG)).join('\n')
    remove()
    throw new Error(`The cluster does not start: ${said}`, { cause: error })
  }

  const urlOf = (hosts: string) => `postgres://portcullis:${PASSWORDS.service}@${hosts}/portcullis`
  const haproxy = urlOf(`${recipe.proxyAddress}:5000`)
  return {
    settings: (way) =>
      ({
        hosts: { DATABASE_URL: urlOf(members.map(({ address }) => `${address}:5432`).join(',')) },
        haproxy: { DATABASE_URL: haproxy },
        pgbouncer: { DATABASE_URL: urlOf(`${recipe.proxyAddress}:6432`), DATABASE_DIRECT_URL: haproxy },
      })[way],
    leader,
    timeline: () =>
      polled('a timeline', async () => {
        const [found] = await ask(await leader(), TIMELINE).catch(() => [])
        return found === undefined ? undefined : Number.parseInt(String(found.timeline), 16)
      }),
    settled,
    kill: (name, part = 'whole') => toAll(name, part, 'SIGKILL'),
    restart,
    freeze: (name, part = 'whole') => toAll(name, part, 'SIGSTOP'),
    thaw: (name) => toAll(name, 'whole', 'SIGCONT'),
    switchOver: async () => {
      const candidate = await settled()
      await request('POST', 'switchover', { leader: await leader(), candidate })
    },
    configure: async (name, value) => {
      await request('PATCH', 'config', { postgresql: { parameters: { [name]: value } } })
      await polled(`${name} is ${value}`, async () => {
        const found = await ask(
          await leader(),
          `SELECT current_setting('${name}')::interval = '${value}' AS same`,
        )
        return found[0]?.same === true ? true : undefined
      })
    },
    endConnections: async () => {
      await polled('the end of all connections', async () => {
        const left = await ask(
          await leader(),
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'portcullis'",
        )
        return left.length === 0 ? true : undefined
      })
    },
    ask,
    log: () => [...logs].map((log) => `${log}:\n${readFileSync(log, 'utf8')}`).join('\n'),
    remove,
  }
}

const TIMELINE = `SELECT ${TIMELINE_OF_PRIMARY} AS timeline`

type Role = Readonly<{ name: string; role: string }>

const ASK_MS = 2_000
const PATIENCE_MS = 60_000
const LOOK_MS = 100
const KEPT_LOG = 3_000

const polled = <A>(what: string, look: () => Promise<A | undefined>): Promise<A> =>
  eventually(what, look, { patienceMs: PATIENCE_MS, lookMs: LOOK_MS })

/** Whether all programs are installed. Only Linux has the addresses. Without them the tests are skipped, and fail in CI. */
export const hasPatroni =
  process.platform === 'linux' &&
  existsSync('/usr/lib/postgresql/15/bin/postgres') &&
  [...programs.values()].every((path) => path !== undefined)

if (!hasPatroni)
  it('needs Patroni, etcd, HAProxy, PgBouncer and PostgreSQL 15, and some are missing (make high-availability)', function () {
    if (process.env.CI) throw new Error('There is no Patroni.')
    this.skip()
  })
