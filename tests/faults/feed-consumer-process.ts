import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import Database from 'better-sqlite3'
import type { ReaderKeys } from '../examples/events-process.ts'

const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

/** An entry that the consumer has taken. */
export type Seen = Readonly<{ position: number; id: string; type: string }>

/** Starts `feed-consumer.ts` as a process. Returns a function that kills it. */
export const startConsumer = (url: string, keys: ReaderKeys, effect: string): (() => Promise<void>) => {
  const program = new URL(`./feed-consumer${EXTENSION}`, import.meta.url).pathname
  const child: ChildProcess = spawn(
    process.execPath,
    [...(EXTENSION === '.ts' ? ['--import', 'tsx'] : []), program],
    {
      env: {
        PATH: process.env.PATH,
        PORTCULLIS_URL: url,
        PUBLIC_API_KEY: keys.public_api_key,
        PRIVATE_API_KEY: keys.private_api_key,
        EFFECT: effect,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const closed = once(child, 'close')
  return async () => {
    child.kill('SIGKILL')
    await closed
  }
}

/** What the consumer has taken, in its order, and how often it began at the beginning of the log. */
export const effectsIn = (effect: string): Readonly<{ entries: ReadonlyArray<Seen>; restarts: number }> => {
  const db = new Database(effect)
  try {
    const hasBegun = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'restarts'").get() !== undefined
    if (!hasBegun) return { entries: [], restarts: 0 }
    const entries = db.prepare<[], Seen>('SELECT position, id, type FROM entries ORDER BY seen').all()
    return { entries, restarts: db.prepare('SELECT * FROM restarts').all().length }
  } finally {
    db.close()
  }
}
