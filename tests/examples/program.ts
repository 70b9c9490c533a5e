import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../support/command.ts'

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'
const SHIFTED = new URL(`../faults/shifted-clock${EXTENSION}`, import.meta.url).href

/** An example as a process of its own, which prints its URL when it listens. */
export type Program = Readonly<{
  url: string
  /** Sets how many milliseconds its `Date.now()` is ahead. */
  shiftMs: (ms: number) => void
  /** Stops it and resolves with its exit status. */
  stop: () => Promise<number | null>
}>

/** Starts an example on a free port. `name` is its path in this folder, without extension. */
export const startProgram = async (
  name: string,
  environment: Readonly<Record<string, string>>,
): Promise<Program> => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-'))
  const clock = join(folder, 'clock')
  writeFileSync(clock, '0')
  const program = new URL(`./${name}${EXTENSION}`, import.meta.url).pathname
  const child = spawn(
    process.execPath,
    [...(EXTENSION === '.ts' ? ['--import', 'tsx'] : []), '--import', SHIFTED, program],
    {
      env: {
        PATH: process.env.PATH,
        PORT: String(await freePort()),
        SHIFTED_CLOCK: clock,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const closed = once(child, 'close')
  const [url] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), closed])
  return {
    url: String(url),
    shiftMs: (ms) => writeFileSync(clock, String(ms)),
    stop: async () => {
      child.kill('SIGTERM')
      const [status] = await closed
      rmSync(folder, { recursive: true })
      return status
    },
  }
}
