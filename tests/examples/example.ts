import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../support/command.ts'

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const SHIFTED = new URL(`../faults/shifted-clock${EXTENSION}`, import.meta.url).href

/** The response of a resource server. `challenge` is its WWW-Authenticate. */
export type Answered = Readonly<{ status: number; challenge: string | null; headers: Headers; body: unknown }>

/** An example as a process of its own. */
export type Example = Readonly<{
  /** Sends a request with this Authorization header, or without one. */
  ask: (authorization?: string) => Promise<Answered>
  /** Advances the clock of the example. */
  passMs: (ms: number) => void
  /** Stops it and resolves with its exit status. */
  stop: () => Promise<number | null>
}>

export const startExample = async (name: string, issuer: string): Promise<Example> => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
  const clock = join(folder, 'clock')
  writeFileSync(clock, '0')
  const program = new URL(`./${name}/resource-server${EXTENSION}`, import.meta.url).pathname
  const child: ChildProcess = spawn(
    process.execPath,
    [...(EXTENSION === '.ts' ? ['--import', 'tsx'] : []), '--import', SHIFTED, program],
    {
      env: {
        PATH: process.env.PATH,
        ISSUER: issuer,
        PORT: String(await freePort()),
        SHIFTED_CLOCK: clock,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const closed = once(child, 'close')
  const [url] = await Promise.race([
    once(createInterface({ input: child.stdout ?? process.stdin }), 'line'),
    closed,
  ])
  return {
    ask: async (authorization) => {
      const headers = { connection: 'close', ...(authorization === undefined ? {} : { authorization }) }
      const answer = await fetch(String(url), { headers })
      const text = await answer.text()
      return {
        status: answer.status,
        challenge: answer.headers.get('www-authenticate'),
        headers: answer.headers,
        body: answer.status === 200 ? JSON.parse(text) : text,
      }
    },
    passMs: (ms) => writeFileSync(clock, String(ms)),
    stop: async () => {
      child.kill('SIGTERM')
      const [status] = await closed
      rmSync(folder, { recursive: true })
      return status
    },
  }
}
