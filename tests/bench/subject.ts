import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { at, type Place } from './machine.ts'
import type { Usage } from './usage-probe.ts'

/** A server under measurement, in its own process. */
export type Subject = Readonly<{
  port: number
  /** The line that said so. */
  ready: string
  usage: () => Promise<Usage>
  stop: () => Promise<void>
}>

export type Start = Readonly<{
  /** The script and its arguments. */
  words: ReadonlyArray<string>
  environment?: Readonly<Record<string, string>>
  place?: Place
  /** The working directory, which also gets the log. */
  folder: string
}>

/** Starts a server and waits for its line `listens on http://HOST:PORT`. */
export const startSubject = async ({ words, environment, place = 0, folder }: Start): Promise<Subject> => {
  const [program, ...rest] = at(place, [process.execPath, '--import', PROBE, ...words])
  const log = join(folder, 'server.log')
  const child = spawn(program, rest, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', openSync(log, 'a'), 'ipc'],
  })
  const exited = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  const ready = await readyLine(child)
  if (ready === undefined) {
    await stop()
    throw new Error(`${words.join(' ')} does not start: ${readFileSync(log, 'utf8').slice(-1_000)}`)
  }
  return {
    ...ready,
    usage: async () => {
      child.send('usage')
      const [usage] = await Promise.race([
        once(child, 'message'),
        exited.then(() => Promise.reject(new Error(`${words.join(' ')} ended`))),
      ])
      return usage
    },
    stop,
  }
}

const PROBE = new URL('./usage-probe.js', import.meta.url).href

const readyLine = async ({
  stdout,
}: ChildProcess): Promise<Readonly<{ port: number; ready: string }> | undefined> => {
  if (stdout === null) return undefined
  const lines = createInterface({ input: stdout })
  for await (const ready of lines) {
    const port = /listens on http:\/\/[^ ]*:(\d+)/.exec(ready)?.[1]
    if (port === undefined) continue
    lines.on('close', () => stdout.resume())
    return { port: Number(port), ready }
  }
  return undefined
}
