import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { renewBundle } from './renew-bundle.ts'
import { CHEAP } from './settings.ts'
import { withoutStoreLine } from './store-line.ts'

/** What a command has printed: `err` without the line that names the store. */
export type Ended = Readonly<{ status: number | null; out: string; err: string }>

/** The command line as a process: from source if the tests run from source, otherwise compiled. */
const isSource = import.meta.url.endsWith('.ts')
export const main = fileURLToPath(new URL(`../../adapters/main.${isSource ? 'ts' : 'js'}`, import.meta.url))
if (!isSource) renewBundle()
const nodeArguments = isSource ? ['--import', import.meta.resolve('tsx'), main] : [main]

const toFileOf = (path: string | undefined) => (path === undefined ? 'pipe' : openSync(path, 'w'))

/** Changes the command line, so that another program starts the process in its folder: `strace`, `nsenter`. */
export type By = (commandLine: ReadonlyArray<string>, folder: string) => ReadonlyArray<string>

export type ProcessWorkplace = ReturnType<typeof processWorkplace>

/**
 * A new folder that acts as a fresh machine, where each command is a process. Its store is in `data/`, and the folder is
 * otherwise empty. Prefer `workplace` if processes do not matter: it costs a hundredth.
 *
 * @param by starts every process
 * @param settings defaults for every process
 */
export const processWorkplace = (
  by: By = (commandLine) => commandLine,
  settings: () => Readonly<Record<string, string>> = () => ({}),
) => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
  const running = new Set<ChildProcess>()
  const start = (words: ReadonlyArray<string>, environment: Record<string, string> = {}): ChildProcess => {
    const [program = '', ...rest] = by([process.execPath, ...nodeArguments, ...words], folder)
    const child = spawn(program, rest, {
      stdio: ['pipe', toFileOf(environment.OUT_TO), toFileOf(environment.LOG_TO)],
      cwd: folder,
      env: { PATH: process.env.PATH, ...CHEAP, ...settings(), ...environment },
    })
    running.add(child)
    child.once('exit', () => running.delete(child))
    return child
  }

  return {
    folder,

    /** The path of the store without DATABASE_URL. */
    database: join(folder, 'data', 'portcullis.db'),

    /**
     * Runs a command to its end. With `isRead: false` its output is not read. OUT_TO names a file for the output
     * instead.
     */
    portcullis: async (
      words: string | ReadonlyArray<string>,
      {
        input = '',
        environment = {},
        isRead = true,
      }: { input?: string | Uint8Array; environment?: Record<string, string>; isRead?: boolean } = {},
    ): Promise<Ended> => {
      const child = start(typeof words === 'string' ? words.split(' ') : words, environment)
      if (!isRead) child.stdout?.destroy()
      child.stdin?.on('error', () => {}) // it may end without reading
      child.stdin?.end(input)
      return endOf(child)
    },

    /** Starts a command whose standard input stays open. `end` sends it a signal. */
    begin: (words: string, input: string) => {
      const child = start(words.split(' '))
      child.stdin?.on('error', () => {})
      child.stdin?.write(input)
      const ended = endOf(child)
      return {
        ended,
        end: (signal: NodeJS.Signals): Promise<Ended> => {
          child.kill(signal)
          return ended
        },
      }
    },

    /**
     * Starts the service on a free port and waits until it prints `ready`. LOG_TO names a file for its standard error
     * instead of the test.
     */
    serve: async (
      words = 'serve',
      environment: Record<string, string> = {},
      ready = 'Portcullis listens',
    ): Promise<Serving> => {
      const port = await freePort()
      const child = start(words.split(' '), { PORT: String(port), LOG_LEVEL: 'info', ...environment })
      return serving(child, port, ready)
    },

    /** Removes it, and ends every process that a failed test left. */
    remove: () => {
      for (const child of running) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What a process prints until its end. */
const endOf = async (child: ChildProcess): Promise<Ended> => {
  const output = { out: '', err: '' }
  child.stdout?.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output.err += chunk
  })
  const [status] = await once(child, 'close')
  return { status, out: output.out, err: withoutStoreLine(output.err) }
}

export type Serving = Readonly<{
  /** Its process id, unless the starting program stays in between. */
  pid: number
  port: number
  url: string
  /** Everything printed so far. */
  printed: () => string
  /** Everything logged so far, without the line that names the store. */
  logged: () => string
  /** Resolves when a printed line contains the text. */
  prints: (text: string) => Promise<void>
  /** Closes the reading end of its output. */
  stopReading: () => void
  /** Resolves with the exit status after any end, or `null` after a signal. */
  gone: Promise<number | null>
  /** Sends a signal and resolves with the exit status. */
  end: (signal?: NodeJS.Signals) => Promise<number | null>
}>

const serving = async (child: ChildProcess, port: number, ready: string): Promise<Serving> => {
  let out = ''
  let err = ''
  const closed = once(child, 'close')
  const gone = closed.then(([status]) => status)
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  const lines = createInterface({ input: child.stdout ?? process.stdin })
  lines.on('line', (line) => {
    out += `${line}\n`
  })
  const prints = async (text: string): Promise<void> => {
    while (!out.includes(text)) {
      const ended = await Promise.race([once(lines, 'line'), closed.then(() => 'ended')])
      if (ended === 'ended' && !out.includes(text))
        throw new Error(`it ended without printing ${text}: ${err}`)
    }
  }
  await prints(ready)
  return {
    pid: child.pid ?? 0,
    port,
    url: `http://127.0.0.1:${port}`,
    printed: () => out,
    logged: () => withoutStoreLine(err),
    prints,
    stopReading: () => child.stdout?.destroy(),
    gone,
    end: (signal = 'SIGTERM') => {
      child.kill(signal)
      return gone
    },
  }
}

/**
 * A free port below the range that the system assigns to connections, so that none of them takes it before use
 * (Linux: 32768 and above).
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = LOWEST_PORT + randomInt(PORTS)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

const LOWEST_PORT = 20_000
const PORTS = 12_000
