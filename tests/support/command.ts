import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { CHEAP } from './settings.ts'

export type Ended = Readonly<{ status: number | null; out: string; err: string }>

/** The command line as a real process: from the sources when the tests run from them, compiled otherwise. */
const isSource = import.meta.url.endsWith('.ts')
const main = fileURLToPath(new URL(`../../adapters/cli/main.${isSource ? 'ts' : 'js'}`, import.meta.url))
const nodeArguments = isSource ? ['--import', import.meta.resolve('tsx'), main] : [main]

/** A new folder that stands for a fresh machine: its store is in `data/`, and nothing else is there. */
export const workplace = () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
  const start = (words: ReadonlyArray<string>, environment: Record<string, string> = {}): ChildProcess =>
    spawn(process.execPath, [...nodeArguments, ...words], {
      stdio: ['pipe', 'pipe', environment.LOG_TO === undefined ? 'pipe' : openSync(environment.LOG_TO, 'w')],
      cwd: folder,
      env: { PATH: process.env.PATH, ...CHEAP, ...environment },
    })

  return {
    folder,

    /** Runs a command to its end. */
    portcullis: async (
      words: string,
      {
        input = '',
        environment = {},
      }: { input?: string | Uint8Array; environment?: Record<string, string> } = {},
    ): Promise<Ended> => {
      const child = start(words.split(' '), environment)
      child.stdin?.on('error', () => {}) // it may end without reading
      child.stdin?.end(input)
      const output = { out: '', err: '' }
      child.stdout?.on('data', (chunk) => {
        output.out += chunk
      })
      child.stderr?.on('data', (chunk) => {
        output.err += chunk
      })
      const [status] = await once(child, 'close')
      return { status, ...output }
    },

    /**
     * Starts the service on a free port and waits until it says that it listens. LOG_TO names where its standard error
     * goes, instead of to the test.
     */
    serve: async (words = 'serve', environment: Record<string, string> = {}): Promise<Serving> => {
      const port = await freePort()
      const child = start(words.split(' '), { PORT: String(port), LOG_LEVEL: 'info', ...environment })
      return serving(child, port)
    },

    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export type Serving = Readonly<{
  port: number
  url: string
  /** All it has printed so far. */
  printed: () => string
  /** All it has logged so far. */
  logged: () => string
  /** Resolves when a printed line contains the text. */
  prints: (text: string) => Promise<void>
  /** Closes the reading end of what it prints. */
  stopReading: () => void
  /** Sends a signal and resolves with the exit status. */
  end: (signal?: NodeJS.Signals) => Promise<number | null>
}>

const serving = async (child: ChildProcess, port: number): Promise<Serving> => {
  let out = ''
  let err = ''
  const closed = once(child, 'close')
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
  await prints('Portcullis listens')
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    printed: () => out,
    logged: () => err,
    prints,
    stopReading: () => child.stdout?.destroy(),
    end: async (signal = 'SIGTERM') => {
      child.kill(signal)
      const [status] = await closed
      return status
    },
  }
}

/** A port that nobody listens on, most likely still when it is used. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return address.port
}
